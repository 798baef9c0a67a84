import { expect, test } from 'bun:test';
import { deleteAllForGood } from '../../../../test/support/deletion.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import { call, createCtx, seed, createSession, testApp } from '../../../../test/support/harness.ts';
import { jobCtx } from '../../../../test/support/processing.ts';
import { addFace, addPerson, FACE_MODEL, faceVector } from '../../../../test/support/people.ts';
import { dot, fromFloat16 } from '../../../inference/index.ts';
import {
  createClusterHandler,
  type FindNearest,
  handleReclusterAll,
} from './clustering.handlers.ts';
import { updatePerson } from '../domain.ts';
import { undoCorrection } from '../corrections/corrections.domain.ts';
import { mergePeople } from '../corrections/merge.domain.ts';

const database = await useDatabase();

/** Every vector of the account, compared one by one. */
const findNearest: FindNearest = async (_ctx, { ownerId }, vectors) => {
  const rows = await database.sql`
    select slot, vector from embedding join face on face.id = subject_id
    where face.owner_id = ${ownerId}`;
  const stored = rows.map((row) => ({
    slot: row['slot'] as number,
    vector: fromFloat16(row['vector'] as Uint8Array),
  }));
  return vectors.map((vector) =>
    stored
      .map((other) => ({ slot: other.slot, score: dot(vector, other.vector) }))
      .toSorted((one, other) => other.score - one.score)
      .slice(0, 20),
  );
};
const cluster = createClusterHandler(findNearest);

/** Until nothing waits. */
async function run(): Promise<void> {
  for (let round = 0; round < 50; round++) {
    const effect = await cluster(jobCtx(database), {});
    if (!effect) return;
    await database.db.transaction((tx) => effect(tx));
  }
  throw new Error('never comes to an end');
}
async function runAnew(): Promise<void> {
  const effect = await handleReclusterAll(jobCtx(database), {});
  await database.db.transaction((tx) => effect!(tx));
  await run();
}

const owner = async () => {
  const { id } = await seed(database).user();
  return { id, ctx: createCtx(database, createSession(id)) };
};
const waiting = (ownerId: string, along: number, near = 0) =>
  addFace(database, { ownerId, vector: faceVector(along, near), clusteredAt: null });
async function personByFace(faceId: string): Promise<string | null> {
  const [row] = await database.sql`select person_id from face where id = ${faceId}`;
  return row!['person_id'] as string | null;
}
const getPeople = async (ownerId: string) => {
  const rows = await database.sql`
    select id from person where owner_id = ${ownerId} and merged_into is null order by id`;
  return rows.map((row) => row['id'] as string);
};

test('three similar faces become a person, two do not until a third is added', async () => {
  const me = await owner();
  const three = [await waiting(me.id, 0), await waiting(me.id, 0, 10), await waiting(me.id, 0, 20)];
  const two = [await waiting(me.id, 5), await waiting(me.id, 5, 10)];
  const foreign = await owner();
  const theirs = await waiting(foreign.id, 5);
  await run();
  const ids = await Promise.all(three.map((face) => personByFace(face.id)));
  expect(new Set(ids).size).toBe(1);
  expect(ids[0]).not.toBeNull();
  for (const face of [...two, theirs]) expect(await personByFace(face.id)).toBeNull();
  const third = await waiting(me.id, 5, 5);
  await run();
  const later = await Promise.all([...two, third].map((face) => personByFace(face.id)));
  expect(new Set(later).size).toBe(1);
  expect(later[0]).not.toBeNull();
  expect(later[0]).not.toBe(ids[0]);
  expect(await personByFace(theirs.id)).toBeNull();
  const jobs = await database.sql`
    select 1 from job where name = 'people.render' and unique_key = ${later[0]!}`;
  expect(jobs).toHaveLength(1);
});

test('a face joins a person whom the owner has named, hidden and machine-made ones too', async () => {
  const me = await owner();
  const ann = await addPerson(database, { ownerId: me.id, name: 'Ann' }, [faceVector(0)]);
  const face = await waiting(me.id, 0, 30);
  const far = await waiting(me.id, 9);
  await run();
  expect(await personByFace(face.id)).toBe(ann.id);
  expect(await personByFace(far.id)).toBeNull();
});

test('the order of faces does not change the people', async () => {
  const parts: string[] = [];
  const plan = [0, 5, 10].flatMap((along) => [0, 10, 20, 30].map((near) => [along, near] as const));
  for (const order of [plan, plan.toReversed(), plan.toSorted((a, b) => a[1] - b[1])]) {
    const me = await owner();
    const names = new Map<string, string>();
    for (const [along, near] of order) {
      const face = await waiting(me.id, along, near);
      names.set(face.id, `${along}/${near}`);
      await run();
    }
    const rows = await database.sql`
      select person_id, id from face where owner_id = ${me.id} and person_id is not null`;
    const groups = Map.groupBy(rows, (row) => row['person_id'] as string);
    parts.push(
      [...groups.values()]
        .map((group) =>
          group
            .map((row) => names.get(row['id'] as string) ?? '')
            .toSorted()
            .join(),
        )
        .toSorted()
        .join('; '),
    );
  }
  expect(new Set(parts).size).toBe(1);
  expect(parts[0]!.split('; ')).toHaveLength(3);
});

test('reclustering keeps ids, names and manual decisions', async () => {
  const me = await owner();
  const faces: { id: string }[] = [];
  for (const near of [0, 5, 10, 15]) faces.push(await waiting(me.id, 0, near));
  await run();
  const ann = (await personByFace(faces[0]!.id))!;
  await updatePerson(me.ctx, ann, { name: 'Ann' });
  // The owner says that this one is somebody else, and that one is nobody's.
  const twin = await addPerson(database, { ownerId: me.id, name: 'Twin' });
  await database.sql`
    update face set person_id = ${twin.id}, decided_by = 'owner' where id = ${faces[3]!.id}`;
  const hidden = await waiting(me.id, 0, 12);
  await database.sql`
    update face set person_id = null, is_hidden = true, decided_by = 'owner', clustered_at = now()
    where id = ${hidden.id}`;
  const noFace = await waiting(me.id, 0, 3);
  await database.sql`
    update face set person_id = null, decided_by = 'owner', clustered_at = now()
    where id = ${noFace.id}`;
  const check = async () => {
    for (const face of faces.slice(0, 3)) expect(await personByFace(face.id)).toBe(ann);
    expect(await personByFace(faces[3]!.id)).toBe(twin.id);
    expect(await personByFace(hidden.id)).toBeNull();
    expect(await personByFace(noFace.id)).toBeNull();
    expect(await getPeople(me.id)).toEqual([ann, twin.id].toSorted());
  };
  await check();
  await runAnew();
  await check();
  await runAnew();
  await check();
});

test('reclustering keeps manual merges, which can still be undone', async () => {
  const me = await owner();
  const faces: { id: string }[] = [];
  for (const along of [0, 7]) {
    for (const near of [0, 5, 10]) faces.push(await waiting(me.id, along, near));
  }
  await run();
  const [a, b] = [(await personByFace(faces[0]!.id))!, (await personByFace(faces[3]!.id))!];
  expect(a).not.toBe(b);
  await mergePeople(me.ctx, [a, b]);
  await runAnew();
  for (const face of faces) expect(await personByFace(face.id)).toBe(a);
  const [record] = await database.sql`select id from face_correction where owner_id = ${me.id}`;
  await undoCorrection(me.ctx, record!['id'] as string);
  for (const face of faces.slice(3)) expect(await personByFace(face.id)).toBe(b);
});

test('a decision made during clustering stands', async () => {
  const me = await owner();
  const faces: { id: string }[] = [];
  for (const near of [0, 5, 10]) faces.push(await waiting(me.id, 0, near));
  const bob = await addPerson(database, { ownerId: me.id, name: 'Bob' });
  const effect = await cluster(jobCtx(database), {});
  await database.sql`
    update face set person_id = ${bob.id}, decided_by = 'owner', revision = revision + 1,
      clustered_at = now() where id = ${faces[0]!.id}`;
  await database.db.transaction((tx) => effect!(tx));
  await run();
  expect(await personByFace(faces[0]!.id)).toBe(bob.id);
  expect(await personByFace(faces[1]!.id)).not.toBeNull();
});

test('unconfirmed people are deleted with their last face', async () => {
  const me = await owner();
  const faces: { id: string }[] = [];
  for (const near of [0, 5, 10]) faces.push(await waiting(me.id, 0, near));
  await run();
  expect(await getPeople(me.id)).toHaveLength(1);
  await deleteAllForGood(database, me.id);
  await waiting(me.id, 9);
  await run();
  expect(await getPeople(me.id)).toEqual([]);
});

test('starting the queue with force reclusters everything', async () => {
  const admin = await seed(database).user(['all'], { isAdmin: true });
  const app = testApp(database);
  for (const [force, name] of [
    [false, 'people.cluster'],
    [true, 'people.reclusterAll'],
  ] as const) {
    await database.sql`delete from job`;
    const body = { command: 'start', force };
    const reply = await call(app, 'PUT /jobs/facialRecognition', { as: admin, body });
    expect(reply.status).toBe(200);
    const jobs = await database.sql`select name from job`;
    expect(jobs.map((job) => job['name'])).toEqual([name]);
  }
});

test('faces without vectors do not stay unclustered', async () => {
  const me = await owner();
  await addFace(database, { ownerId: me.id, clusteredAt: null, modelId: null });
  await addFace(database, { ownerId: me.id, clusteredAt: null, modelId: FACE_MODEL });
  await run();
  expect(await getPeople(me.id)).toEqual([]);
});

test('grouping a cluster group anew leaves other accounts alone', async () => {
  const [me, member, stranger] = [await owner(), await owner(), await owner()];
  const groupId = crypto.randomUUID();
  for (const { id } of [me, member]) {
    await database.sql`update app_user set cluster_group_id = ${groupId} where id = ${id}`;
  }
  for (const { id } of [me, member, stranger]) {
    await addFace(database, { ownerId: id, vector: faceVector(1) });
  }
  const effect = await handleReclusterAll(jobCtx(database), { clusterGroupId: groupId });
  await database.db.transaction((tx) => effect!(tx));
  const rows = await database.sql`select owner_id from face where clustered_at is null`;
  const requeued = rows.map((row) => row['owner_id']);
  expect(requeued).toContain(me.id);
  expect(requeued).toContain(member.id);
  expect(requeued).not.toContain(stranger.id);
});

test('small or hardly detected faces start no person, and join it once a clear face is there', async () => {
  for (const weak of [{ sidePx: 39 }, { score: 0.74 }]) {
    const me = await owner();
    const faces = [0, 5, 10].map((near) => ({ near, clusteredAt: null, ownerId: me.id, ...weak }));
    const added = [];
    for (const { near, ...face } of faces) {
      added.push(await addFace(database, { ...face, vector: faceVector(0, near) }));
    }
    await run();
    expect(await getPeople(me.id)).toEqual([]);
    await waiting(me.id, 0, 8);
    await run();
    const [person, ...others] = await getPeople(me.id);
    expect(others).toEqual([]);
    for (const { id } of added) expect(await personByFace(id)).toBe(person!);
  }
});

test('a small face waits for a nearer match or a second one; a clear face joins at once', async () => {
  /** A face this many degrees from the only one of a person. */
  const compare = async (near: number, sidePx: number) => {
    const me = await owner();
    const person = await addPerson(database, { ownerId: me.id, name: 'Ann' }, [faceVector(0)]);
    const vector = faceVector(0, near);
    const face = await addFace(database, { ownerId: me.id, vector, clusteredAt: null, sidePx });
    await run();
    return { me, person, face, joins: (await personByFace(face.id)) === person.id };
  };
  // Similarities of 0.5 and 0.57.
  expect((await compare(60, 40)).joins).toBeTrue();
  expect((await compare(55, 39)).joins).toBeTrue();
  const { me, person, face, joins } = await compare(60, 39);
  expect(joins).toBeFalse();
  await waiting(me.id, 0, 5);
  await run();
  expect(await personByFace(face.id)).toBe(person.id);
});
