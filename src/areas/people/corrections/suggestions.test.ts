import { describe, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { call, NOW, seed, type TestUser } from '../../../../test/support/harness.ts';
import { addFace, addPerson, faceVector } from '../../../../test/support/people.ts';

const { database, app } = await useApp({ now: () => clock });
let clock = NOW;

const DAY_MS = 24 * 60 * 60 * 1000;
const user = () => seed(database).user();
const getFaces = async (personId: string) => {
  const [row] = await database.sql`
    select count(*)::int as faces from face where person_id = ${personId}`;
  return row!['faces'] as number;
};
const get = async (as: TestUser, id: string) => call(app, `GET /people/${id}`, { as });
const merge = (as: TestUser, ids: string[]) =>
  call(app, 'POST /people/merge', { as, body: { ids } });
const verdict = (as: TestUser, body: object) =>
  call(app, 'PUT /people/merge-suggestions/verdicts', { as, body });
const forget = (as: TestUser, firstPersonId: string, secondPersonId: string) =>
  call(app, 'DELETE /people/merge-suggestions/verdicts', {
    as,
    body: { firstPersonId, secondPersonId },
  });

const sorted = (...ids: string[]): string[] => ids.toSorted();

type Pair = { readonly first: { readonly id: string }; readonly second: { readonly id: string } };

/** The pairs that are suggested, each as sorted ids, and sorted. */
async function suggested(as: TestUser): Promise<string[]> {
  const { body } = await call(app, 'GET /people/merge-suggestions', { as });
  return body.suggestions
    .map(({ first, second }: Pair) => sorted(first.id, second.id).join(' '))
    .toSorted();
}
const pairs = (...pairs: [string, string][]) =>
  pairs.map((pair) => pair.toSorted().join(' ')).toSorted();

/** Two people with one face each that look alike, and a third who does not. */
async function lookalikes() {
  const me = await user();
  const ownerId = me.id;
  const a = await addPerson(database, { ownerId }, [faceVector(0)]);
  const b = await addPerson(database, { ownerId }, [faceVector(0, 20)]);
  await addPerson(database, { ownerId }, [faceVector(9)]);
  return { me, ownerId, a: a.id, b: b.id };
}

describe('suggestions', () => {
  test('are pairs that look alike, strongest first, of shown people of the caller', async () => {
    const { me, ownerId, a, b } = await lookalikes();
    const c = await addPerson(database, { ownerId }, [faceVector(0, 50)]);
    await addPerson(database, { ownerId, isHidden: true }, [faceVector(0)]);
    await addPerson(database, { ownerId: (await user()).id }, [faceVector(0)]);
    const { body } = await call(app, 'GET /people/merge-suggestions', { as: me });
    const ids = ({ first, second }: Pair) => sorted(first.id, second.id);
    expect(body.suggestions.map(ids)).toEqual(
      [
        [a, b],
        [b, c.id],
        [a, c.id],
      ].map((pair) => pair.toSorted()),
    );
    expect(body.suggestions[0].similarity).toBeCloseTo(Math.cos(Math.PI / 9), 2);
    await database.sql`update asset set locked_at = now() where owner_id = ${ownerId}`;
    expect(await suggested(me)).toEqual([]);
  });

  test("ST-055: 'same' merges at once, in either order, and keeps the named person", async () => {
    for (const swap of [false, true]) {
      const { me, a, b } = await lookalikes();
      await call(app, `PUT /people/${a}`, { as: me, body: { name: 'Ann' } });
      const [firstPersonId, secondPersonId] = swap ? [b, a] : [a, b];
      const reply = await verdict(me, { verdict: 'same', firstPersonId, secondPersonId });
      expect(reply.status).toBe(200);
      expect(reply.body).toMatchObject({
        verdict: 'same',
        mergedIntoPersonId: a,
        firstPersonId: [a, b].toSorted()[0],
        secondPersonId: [a, b].toSorted()[1],
        skipUntil: null,
        personId: null,
      });
      expect((await get(me, a)).body.name).toBe('Ann');
      expect((await get(me, b)).status).toBe(400);
      expect(await getFaces(a)).toBe(2);
    }
  });

  test("records the verdict 'same' as a merge of both people, which can be undone", async () => {
    const { me, a, b } = await lookalikes();
    await call(app, `PUT /people/${a}`, { as: me, body: { name: 'Ann' } });
    await verdict(me, { verdict: 'same', firstPersonId: b, secondPersonId: a });
    const listCorrections = async (id: string) =>
      (await call(app, `GET /people/${id}/corrections`, { as: me })).body.items;
    const [record] = await listCorrections(a);
    expect(record).toMatchObject({
      kind: 'merge',
      personId: a,
      mergedPersonIds: [b],
      affectedFaceCount: 1,
      canUndo: true,
    });
    expect(await listCorrections(b)).toEqual([record]);
    const stranger = await call(app, `GET /people/${b}/corrections`, { as: await user() });
    expect(stranger.status).toBe(400);
    // People who appear only on Locked items are unknown without the PIN.
    const hidden = await addPerson(database, { ownerId: me.id, name: 'Eve' }, [faceVector(9)]);
    await database.sql`update asset set locked_at = now() where id in (
      select asset_id from face where person_id = ${hidden.id})`;
    const locked = await call(app, `GET /people/${hidden.id}/corrections`, { as: me });
    expect(locked.status).toBe(400);
    const undone = await call(app, `POST /people/corrections/${record.id}/undo`, { as: me });
    expect(undone.status).toBe(200);
    expect((await get(me, b)).status).toBe(200);
    expect(await getFaces(b)).toBe(1);
  });

  test('ST-055: without names keeps the person with more faces, then the smaller id', async () => {
    const { me, ownerId, a, b } = await lookalikes();
    await addFace(database, { ownerId, personId: b, vector: faceVector(0) });
    const same = { verdict: 'same', firstPersonId: a, secondPersonId: b };
    expect((await verdict(me, same)).body.mergedIntoPersonId).toBe(b);
    const even = await lookalikes();
    const reply = await verdict(even.me, {
      verdict: 'same',
      firstPersonId: even.a,
      secondPersonId: even.b,
    });
    expect(reply.body.mergedIntoPersonId).toBe([even.a, even.b].toSorted()[0]);
  });

  test("ST-056: never suggests a 'different' pair again, also after new faces and merges", async () => {
    const { me, ownerId, a, b } = await lookalikes();
    expect(await suggested(me)).toEqual(pairs([a, b]));
    const said = { verdict: 'different', firstPersonId: b, secondPersonId: a };
    expect((await verdict(me, said)).status).toBe(200);
    expect(await suggested(me)).toEqual([]);
    await addFace(database, { ownerId, personId: a, vector: faceVector(0, 20) });
    expect(await suggested(me)).toEqual([]);
    // Verdicts on a merged person hold for the survivor.
    const c = await addPerson(database, { ownerId }, [faceVector(0, 5)]);
    expect(await suggested(me)).toEqual(pairs([a, c.id], [b, c.id]));
    await merge(me, [c.id, b]);
    expect(await suggested(me)).toEqual([]);
    const d = await addPerson(database, { ownerId }, [faceVector(9, 5)]);
    await merge(me, [d.id, c.id]);
    await addFace(database, { ownerId, personId: d.id, vector: faceVector(0, 5) });
    expect(await suggested(me)).not.toContain(pairs([a, d.id])[0]!);
    await forget(me, d.id, a);
    expect(await suggested(me)).toContain(pairs([a, d.id])[0]!);
  });

  test('ignore verdicts on a pair that was merged after all', async () => {
    const { me, ownerId, a, b } = await lookalikes();
    const c = await addPerson(database, { ownerId }, [faceVector(0, 10)]);
    await verdict(me, { verdict: 'different', firstPersonId: a, secondPersonId: b });
    await merge(me, [a, b]);
    expect(await suggested(me)).toEqual(pairs([a, c.id]));
  });

  test("ST-057, LM-034: skips a 'later' pair for 30 days", async () => {
    const { me, a, b } = await lookalikes();
    const reply = await verdict(me, { verdict: 'later', firstPersonId: a, secondPersonId: b });
    expect(reply.body.skipUntil).toBe(new Date(NOW.getTime() + 30 * DAY_MS).toISOString());
    try {
      expect(await suggested(me)).toEqual([]);
      clock = new Date(NOW.getTime() + 30 * DAY_MS - 3_600_000);
      expect(await suggested(me)).toEqual([]);
      clock = new Date(NOW.getTime() + 30 * DAY_MS + 60_000);
      expect(await suggested(me)).toEqual(pairs([a, b]));
    } finally {
      clock = NOW;
    }
  });

  test("ST-058, ST-059: 'different' replaces 'later', and never the other way round", async () => {
    const { me, a, b } = await lookalikes();
    const say = async (word: string) =>
      (await verdict(me, { verdict: word, firstPersonId: a, secondPersonId: b })).body;
    expect((await say('later')).verdict).toBe('later');
    expect(await say('different')).toMatchObject({ verdict: 'different', skipUntil: null });
    expect(await say('later')).toMatchObject({ verdict: 'different', skipUntil: null });
    try {
      clock = new Date(NOW.getTime() + 31 * DAY_MS);
      expect(await suggested(me)).toEqual([]);
    } finally {
      clock = NOW;
    }
  });

  test("ST-059: 'later' does not replace a verdict on a person who was merged since", async () => {
    const { me, ownerId, a, b } = await lookalikes();
    const c = await addPerson(database, { ownerId }, [faceVector(0, 10)]);
    await verdict(me, { verdict: 'different', firstPersonId: b, secondPersonId: c.id });
    await merge(me, [a, b]);
    const say = async (word: string) =>
      (await verdict(me, { verdict: word, firstPersonId: c.id, secondPersonId: a })).body;
    const [firstPersonId, secondPersonId] = [a, c.id].toSorted();
    expect(await say('later')).toMatchObject({
      verdict: 'different',
      skipUntil: null,
      firstPersonId,
      secondPersonId,
    });
    try {
      clock = new Date(NOW.getTime() + 31 * DAY_MS);
      expect(await suggested(me)).toEqual([]);
    } finally {
      clock = NOW;
    }
    expect((await forget(me, a, c.id)).status).toBe(204);
    expect((await say('later')).verdict).toBe('later');
  });

  test('ST-060, ST-062: an ignored person is in no pair until the verdict is deleted', async () => {
    const { me, ownerId, a, b } = await lookalikes();
    const c = await addPerson(database, { ownerId }, [faceVector(0, 10)]);
    const body = { verdict: 'ignore', firstPersonId: a, secondPersonId: b, personId: a };
    expect((await verdict(me, body)).body).toMatchObject({ verdict: 'ignore', personId: a });
    expect(await suggested(me)).toEqual(pairs([b, c.id]));
    expect((await forget(me, a, a)).status).toBe(204);
    expect(await suggested(me)).toEqual(pairs([a, b], [a, c.id], [b, c.id]));
  });

  test('ST-061: ignore names one of the pair, and only ignore names anybody', async () => {
    const { me, ownerId, a, b } = await lookalikes();
    const c = await addPerson(database, { ownerId });
    const pair = { firstPersonId: a, secondPersonId: b };
    for (const body of [
      { ...pair, verdict: 'ignore' },
      { ...pair, verdict: 'ignore', personId: c.id },
      { ...pair, verdict: 'different', personId: a },
      { ...pair, verdict: 'never' },
      { firstPersonId: a, secondPersonId: a, verdict: 'different' },
      { firstPersonId: a, secondPersonId: crypto.randomUUID(), verdict: 'different' },
    ]) {
      expect((await verdict(me, body)).status).toBe(400);
    }
    expect(await suggested(me)).toEqual(pairs([a, b]));
  });

  test('ST-063, ST-064: deletes a verdict in either order, also a missing one', async () => {
    const { me, a, b } = await lookalikes();
    await verdict(me, { verdict: 'different', firstPersonId: a, secondPersonId: b });
    const stranger = await user();
    expect((await forget(stranger, b, a)).status).toBe(204);
    expect(await suggested(me)).toEqual([]);
    expect((await forget(me, b, a)).status).toBe(204);
    expect(await suggested(me)).toEqual(pairs([a, b]));
    expect((await forget(me, b, a)).status).toBe(204);
  });

  test('refuse verdicts of a stranger', async () => {
    const { me, a, b } = await lookalikes();
    const stranger = await user();
    const theirs = await addPerson(database, { ownerId: stranger.id });
    for (const word of ['same', 'different', 'later']) {
      for (const [firstPersonId, secondPersonId] of [
        [a, b],
        [theirs.id, a],
      ]) {
        const said = { verdict: word, firstPersonId, secondPersonId };
        expect((await verdict(stranger, said)).status).toBe(400);
      }
    }
    expect(await suggested(me)).toEqual(pairs([a, b]));
  });
});
