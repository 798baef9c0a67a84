import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import { openStudio, type Studio } from '../../../../test/support/studio.ts';
import { getLimit } from '../../../db/limits/limits.ts';
import { claimJobs, completeJob } from '../../../jobs/claims.ts';

const MOST_ACTIVE = getLimit('studioExport').count;

let studio: Studio;
let me: TestUser;
let other: TestUser;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());
beforeEach(async () => {
  await studio.database.sql`truncate operation, job cascade`;
  me = await seed(studio.database).user(['all']);
  other = await seed(studio.database).user(['all']);
});

/** A film of a clip, a second long. */
async function makeProject(as: TestUser, name = 'short.mp4') {
  return makeProjectWith(as, await studio.add(as, name));
}

async function makeProjectWith(as: TestUser, assetId: string): Promise<string> {
  const project = await studio.makeProject(as, [assetId]);
  const [clip] = project.document.clips;
  const clips = [{ ...clip, duration: { numerator: 1, denominator: 1 } }];
  const body = { document: { ...project.document, clips }, expectedRevision: 1 };
  await call(studio.app, `PUT /studio/projects/${project.id}`, { as, body });
  return project.id;
}

const order = (as: TestUser, projectId: string, height: number, destination = 'download') =>
  call(studio.app, `POST /studio/projects/${projectId}/exports`, {
    as,
    body: { revision: 2, destination, height },
  });
const orderId = async (...values: Parameters<typeof order>): Promise<string> =>
  (await order(...values)).body.id;

/** Makes the next film, as a worker does. Returns its id. */
async function makeNext(): Promise<string | undefined> {
  const { db } = studio.database;
  const claim = { lane: 'video', worker: 'test', names: ['studio.exportProject'] } as const;
  const [job] = await claimJobs(db, { ...claim, limit: 1, leaseMs: 60_000 });
  if (!job) return undefined;
  const { operationId } = job.payload as { operationId: string };
  await studio.export(operationId);
  await completeJob(db, 'test', job);
  return operationId;
}

const listNotices = async (user: TestUser) => [
  ...(await studio.database.sql`
    select data ->> 'kind' as kind, data ->> 'exportId' as id, data ->> 'projectName' as name
    from notification where owner_id = ${user.id} order by created_at, id`),
];

test('an account has so many films waiting, of all its projects, and others have theirs', async () => {
  const assetId = await studio.add(me, 'short.mp4');
  const projects = [await makeProjectWith(me, assetId), await makeProjectWith(me, assetId)];
  const ids: string[] = [];
  for (let at = 0; at < MOST_ACTIVE; at++)
    ids.push(await orderId(me, projects[at % 2]!, 16 + 2 * at));
  const refused = await order(me, projects[0]!, 180);
  expect([refused.status, refused.body.message]).toEqual([
    429,
    `An account can have at most ${MOST_ACTIVE} films waiting`,
  ]);
  // One that waits is the same one.
  expect((await order(me, projects[0]!, 16)).body.id).toBe(ids[0]);
  expect((await order(other, await makeProject(other), 96)).status).toBe(201);
  await call(studio.app, `DELETE /studio/exports/${ids[3]}`, { as: me });
  expect((await order(me, projects[0]!, 180)).status).toBe(201);
});

test('orders at the same time are no more than that', async () => {
  const assetId = await studio.add(me, 'short.mp4');
  const projects = await Promise.all([1, 2, 3].map(() => makeProjectWith(me, assetId)));
  const orders = Array.from({ length: MOST_ACTIVE + 6 }, (_, at) =>
    order(me, projects[at % 3]!, 16 + 2 * at),
  );
  const statuses = (await Promise.all(orders)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(MOST_ACTIVE);
  expect(statuses.filter((status) => status === 429)).toHaveLength(6);
});

test('films of several accounts are made in turn, also when one is cancelled or fails', async () => {
  const third = await seed(studio.database).user(['all']);
  const [mine, broken] = [await makeProject(me), await makeProject(me, 'broken.mp4')];
  const theirs = await makeProject(other);
  const a1 = await orderId(me, mine, 16);
  const a2 = await orderId(me, broken, 16);
  const a3 = await orderId(me, mine, 18);
  const a4 = await orderId(me, mine, 20);
  const b1 = await orderId(other, theirs, 16);
  const b2 = await orderId(other, theirs, 18);
  expect(await makeNext()).toBe(a1);
  expect(await makeNext()).toBe(b1);
  const c1 = await orderId(third, await makeProject(third), 16);
  expect([await makeNext(), await makeNext(), await makeNext()]).toEqual([a2, b2, c1]);
  await call(studio.app, `DELETE /studio/exports/${a3}`, { as: me });
  const b3 = await orderId(other, theirs, 20);
  // The job of the cancelled one ends at once.
  expect([await makeNext(), await makeNext(), await makeNext()]).toEqual([a3, a4, b3]);
  expect(await makeNext()).toBeUndefined();
});

test('whoever asked for a film is told when it is ready or has failed, and nobody else', async () => {
  const [project, broken] = [await makeProject(me), await makeProject(me, 'broken.mp4')];
  const downloaded = await orderId(me, project, 16);
  const kept = await orderId(me, project, 16, 'library');
  const cancelled = await orderId(me, project, 18);
  const failed = await orderId(me, broken, 16);
  const lost = await orderId(me, project, 20);
  await call(studio.app, `DELETE /studio/exports/${cancelled}`, { as: me });
  for (const id of [downloaded, kept, cancelled, failed]) await studio.export(id);
  await studio.database.sql`delete from job where unique_key = ${lost}`;
  await studio.clean(0);
  // Each is told once.
  for (const id of [downloaded, kept, failed, lost]) await studio.export(id);
  const notices = await listNotices(me);
  expect(notices.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
    { kind: 'exportReady', id: downloaded, name: 'Film' },
    { kind: 'exportReady', id: kept, name: 'Film' },
    { kind: 'jobFailed', id: failed, name: null },
    { kind: 'jobFailed', id: lost, name: null },
  ]);
  expect(await listNotices(other)).toEqual([]);
});
