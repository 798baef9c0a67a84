import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { keepEpochRecorded } from '../../src/areas/sync/index.ts';
import { silentLog } from '../../src/core/log.ts';
import { getEpoch } from '../../src/db/epoch.ts';
import { openReplica, readFromReplica } from '../../src/db/replica.ts';
import { saveEmbeddings } from '../../src/inference/vectors/store.ts';
import { openVectorIndex } from '../../src/inference/vectors/vectors.ts';
import { call, seed, testApp, type TestDatabase, type TestUser } from '../support/harness.ts';
import {
  type PostgresPair,
  type PostgresServer,
  startPostgresPair,
  joinHosts,
} from '../support/postgres-pair.ts';
import { until } from '../support/until.ts';
import { emptyCopy, syncAll } from '../sync/client.ts';
import { connect } from '../sync/support.ts';
import { expectCopy } from '../sync/world.ts';

// A standby is promoted that lacks the last commits of the primary: ids of transactions are used again. What a process
// has remembered, what phones have copied and the files of vectors are then of another history.

setDefaultTimeout(120_000);

const pair = await startPostgresPair();
const others: PostgresPair[] = [];
afterAll(async () => {
  for (const one of [pair, ...others]) await one.stop();
});

type Route = Parameters<typeof call>[1];
const READS: readonly (readonly [Route, object?])[] = [
  ['GET /timeline/buckets'],
  ['GET /timeline/bucket?timeBucket=2026-01-01'],
  ['GET /assets/statistics'],
  ['POST /search/metadata', {}],
  ['POST /search/metadata', { withExif: true }],
  ['POST /search/statistics', {}],
  ['POST /search/facets', {}],
  ['GET /search/cities'],
  ['GET /search/explore'],
  ['GET /tags'],
  ['GET /users/me/calendar-heatmap?type=Taken&from=2020-01-01&to=2026-12-31'],
];

test('after a failover that loses commits, caches, phones and vectors equal what is there', async () => {
  const database = pair.open(pair.url);
  await keepEpochRecorded(database, silentLog);
  const app = testApp(database);
  const make = seed(database);
  const [me, other] = [await make.user(), await make.user()];
  const assets: string[] = [];
  for (let n = 0; n < 3; n++)
    assets.push(await make.asset({ ownerId: me.id, exif: { city: `City ${n}` } }));
  await make.asset({ ownerId: other.id, exif: { city: 'Elsewhere' } });
  const saveVector = (subjectId: string, vector: Float32Array) =>
    database.db.transaction((tx) =>
      saveEmbeddings(tx, 'model', [{ kind: 'face', subjectId, vector }]),
    );
  const subject = randomUUID();
  const unit = (at: number) => Float32Array.from({ length: 128 }, (_, n) => (n === at ? 1 : 0));
  await saveVector(subject, unit(0));
  const vectors = openVectorIndex(database.deps, { freshMs: 0 });
  const getScore = async () => (await vectors.nearest('model', unit(5), { k: 1 }))[0]?.score;
  expect(await getScore()).toBeCloseTo(0, 2);
  const copy = emptyCopy();
  await syncAll(connect(app, me), copy);
  await pair.waitForReplay();

  await detach(pair.standby);
  await until(async () => (await pair.primary.sql`select from pg_stat_replication`).length === 0);

  const change = async (text: string, favorite: boolean): Promise<string[]> => {
    for (const id of assets)
      await database.sql`update asset_exif set description = ${text}, city = ${text} where asset_id = ${id}`;
    for (const id of assets)
      await database.sql`update asset set is_favorite = ${favorite} where id = ${id}`;
    await saveVector(subject, unit(favorite ? 5 : 6));
    return (await database.sql<{ xid: string }[]>`select xmin::text as xid from asset_exif`).map(
      ({ xid }) => xid,
    );
  };
  const from = (await readXid(database)) + 50n;
  await spend(database, from);
  const lostXids = await change('Lost', true);
  for (let n = 0; n < 5; n++) await make.asset({ ownerId: me.id, exif: { city: 'Lost' } });
  const lostEtags = await readAll(app, me);
  await readAll(app, me);
  expect(JSON.stringify(lostEtags)).toContain('Lost');
  await syncAll(connect(app, me), copy);
  expect(copy.assets.size).toBe(8);
  expect(await getScore()).toBeCloseTo(1, 2);
  const lost = await readXid(database);

  await pair.primary.kill();
  await pair.standby.sql`select pg_promote()`;
  await until(async () => (await call(app, 'GET /albums', { as: me })).status === 200);
  await untilRecorded(database);
  await spend(database, from);
  const keptXids = await change('Kept', false);
  // Otherwise nothing here could fail.
  expect(keptXids).toEqual(lostXids);
  // Beyond all that the process has seen.
  await spend(database, lost + 1n);

  const fresh = await openFresh(pair, pair.url);
  const expected = await readAll(testApp(fresh), me);
  expect(JSON.stringify(expected)).not.toContain('Lost');
  expect(JSON.stringify(expected)).not.toContain('Elsewhere');
  for (const _ of [1, 2]) expect(await readAll(app, me)).toEqual(expected);
  for (const [at, { etag }] of expected.entries())
    if (etag !== null) expect(etag).not.toBe(lostEtags[at]!.etag);
  expect(await getScore()).toBeCloseTo(0, 2);
  await syncAll(connect(app, me), copy);
  await expectCopy(database, copy, { id: me.id });
  expect(copy.assets.size).toBe(3);
  await vectors.close();
});

async function readXid({ sql }: Pick<TestDatabase, 'sql'>): Promise<bigint> {
  const [row] = await sql`select pg_current_xact_id()::text as xid`;
  return BigInt(row!['xid']);
}

/** Uses ids of transactions up to this one. */
async function spend(database: Pick<TestDatabase, 'sql'>, last: bigint): Promise<void> {
  while ((await readXid(database)) < last);
}

/** Resolves to the timeline of the primary when it is recorded. */
async function untilRecorded({ sql }: Pick<TestDatabase, 'sql'>): Promise<string> {
  let timeline = '';
  await until(async () => {
    const [row] = await sql`
      select epoch, substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) as timeline
      from change_log`;
    ({ timeline } = row as { timeline: string });
    return row!['epoch'].endsWith(timeline);
  });
  return timeline;
}

/** A pool whose epoch is known, as that of a server that serves. */
async function openFresh(from: PostgresPair, url: string) {
  const fresh = from.open(url);
  await fresh.sql`select`;
  await until(() => getEpoch(fresh.sql).id.includes('.'));
  return fresh;
}

/** Lets a standby follow this server, or none. */
async function follow({ sql }: PostgresServer, primary?: PostgresServer): Promise<void> {
  const { hostname: host, port } = primary ? new URL(primary.url) : {};
  const text = host ? `host=${host} port=${port} user=safelight` : '';
  await sql.unsafe(`alter system set primary_conninfo = '${text}'`);
  await sql`select pg_reload_conf()`;
}
const detach = (standby: PostgresServer) => follow(standby);

test('what was remembered of a promoted standby is forgotten when another one of its timeline takes its place', async () => {
  const two = await startPostgresPair();
  others.push(two);
  const { primary, standby } = two;
  const other = await two.addStandby();
  const url = joinHosts([primary, standby, other]);
  const database = two.open(url);
  await keepEpochRecorded(database, silentLog);
  const app = testApp(database);
  const make = seed(database);
  const me = await make.user();
  const assets: string[] = [];
  for (let n = 0; n < 3; n++)
    assets.push(await make.asset({ ownerId: me.id, exif: { city: 'A' } }));
  const copy = emptyCopy();
  await syncAll(connect(app, me), copy);
  await two.waitForReplay();
  for (const one of [standby, other]) await detach(one);
  await until(async () => (await primary.sql`select from pg_stat_replication`).length === 0);

  const promote = async (before: PostgresServer, next: PostgresServer) => {
    await before.kill();
    await next.sql`select pg_promote()`;
    await until(async () => (await call(app, 'GET /albums', { as: me })).status === 200);
    return untilRecorded(database);
  };
  const change = async (text: string): Promise<string[]> => {
    for (const id of assets)
      await database.sql`update asset_exif set description = ${text}, city = ${text} where asset_id = ${id}`;
    return (await database.sql<{ xid: string }[]>`select xmin::text as xid from asset_exif`).map(
      ({ xid }) => xid,
    );
  };
  const first = await promote(primary, standby);
  const from = (await readXid(database)) + 100n;
  await spend(database, from);
  const lostXids = await change('Lost');
  const lost = await readAll(app, me);
  await readAll(app, me);
  expect(JSON.stringify(lost)).toContain('Lost');
  await syncAll(connect(app, me), copy);

  // Otherwise nothing here could fail.
  expect(await promote(standby, other)).toBe(first);
  await spend(database, from);
  expect(await change('Kept')).toEqual(lostXids);
  await spend(database, from + 100n);
  const expected = await readAll(testApp(await openFresh(two, url)), me);
  expect(JSON.stringify(expected)).not.toContain('Lost');
  for (const _ of [1, 2]) expect(await readAll(app, me)).toEqual(expected);
  const changed = expected.filter(
    ({ body, etag }, at) => etag !== null && !Bun.deepEquals(body, lost[at]!.body),
  );
  expect(changed).not.toEqual([]);
  for (const { etag } of changed) expect(lost.map((answer) => answer.etag)).not.toContain(etag);
  await syncAll(connect(app, me), copy);
  await expectCopy(database, copy, { id: me.id });
});

test('standbys of the server that was promoted are read again without a restart', async () => {
  const two = await startPostgresPair();
  others.push(two);
  const { primary, standby } = two;
  const other = await two.addStandby();
  const database = two.open(joinHosts([primary, standby]));
  await keepEpochRecorded(database, silentLog);
  const replica = openReplica(database.sql, other.url, silentLog);
  const isOnReplica = () =>
    readFromReplica(database.deps, async ({ db }) => {
      const [row] = await db.execute(sql`select pg_is_in_recovery() as standby`);
      return row!['standby'] as boolean;
    }).catch(() => false);
  await until(isOnReplica);
  await primary.kill();
  await standby.sql`select pg_promote()`;
  await until(async () => (await isOnReplica()) === false);
  await follow(other, standby);
  await until(isOnReplica);
  await replica.close();
});

const readAll = async (app: ReturnType<typeof testApp>, user: TestUser) => {
  const answers = [];
  for (const [route, body] of READS) {
    const answer = await call(app, route, { as: user, body });
    expect([route, answer.status]).toEqual([route, 200]);
    answers.push({ route, body: answer.body, etag: answer.headers.get('etag') });
  }
  return answers;
};
