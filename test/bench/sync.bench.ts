// Cost of synchronisation: `bun test/bench/sync.bench.ts 100000`. The first stream and a small one,
// through the API in a process of its own, and what the log adds to each write. Uses the server in
// TEST_POSTGRES.
import { join } from 'node:path';
import type { Sql } from 'postgres';
import { newSecret, sha256 } from '../../src/core/hash.ts';
import { openDatabase } from '../../src/db/client.ts';
import { APP_TYPES, emptyCopy, parseLines, syncOnce } from '../sync/client.ts';
import { waitForWatermark } from '../sync/support.ts';
import { answering, freePort, round, spread } from './measure.ts';
import { memoryMiB } from './processes.ts';
import { dropLibrary, seedLibrary } from './seed.ts';

const SMALL_RUNS = 30;
const SINGLE_WRITES = 1500;

const assets = Number(process.argv[2] ?? 100_000);
const library = await seedLibrary(`bench_sync_${assets}`, assets);
const database = openDatabase(library.url, { max: 2 });
await seedCast(database.sql);
const token = newSecret();
await database.sql`insert into session (user_id, token_hash) values (${library.userId}, ${sha256(token)})`;
const port = freePort();
const server = Bun.spawn(
  [process.execPath, join(import.meta.dir, 'api-server.ts'), library.url, String(port)],
  { stdout: 'inherit', stderr: 'inherit' },
);
const rssMiB = () => memoryMiB(server.pid, 'VmRSS');
const url = `http://127.0.0.1:${port}/api`;
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
const connection = {
  stream: (types: readonly string[]) =>
    fetch(`${url}/sync/stream`, { method: 'POST', headers, body: JSON.stringify({ types }) }),
  async ack(acks: readonly string[]) {
    const body = JSON.stringify({ acks });
    const { status } = await fetch(`${url}/sync/ack`, { method: 'POST', headers, body });
    if (status !== 204) throw new Error(`ack: ${status}`);
  },
};

try {
  await answering(url);
  await waitForWatermark(database);
  const report = (name: string, result: unknown) =>
    console.log(JSON.stringify({ assets, [name]: result }));
  report('first', await measureFirst(['AssetsV2', 'AssetExifsV1']));
  report('firstAsTheApp', await measureApp());
  report('slowReaderMiB', await measureSlowReader());
  await syncOnce(connection, emptyCopy());
  report('tenChanges', await measureSmall(changeAssets, 'AssetV2'));
  report('tenFaces', await measureSmall(changeFaces, 'AssetFaceV2'));
  report('writes', await measureWrites());
} finally {
  server.kill('SIGTERM');
  await server.exited;
  await database.close();
  await dropLibrary(library.name);
}

/** A face on every photo, a person for fifty of them, and a line of text on every tenth. */
async function seedCast(sql: Sql): Promise<void> {
  await sql.unsafe(`
    alter table person disable trigger user;
    alter table face disable trigger user;
    alter table document disable trigger user;
    alter table document_line disable trigger user;
    insert into person (owner_id, name)
    select '${library.userId}', 'Person ' || n from generate_series(1, ${Math.ceil(assets / 50)}) n;
    insert into face (owner_id, asset_id, person_id, x1, y1, x2, y2, image_width, image_height,
      source, clustered_at, source_revision)
    select owner_id, asset.id, people.ids[1 + asset.place % cardinality(people.ids)], 0.1, 0.1, 0.3,
      0.4, 4032, 3024, 'machine-learning', now(), ''
    from (select id, owner_id, row_number() over () as place from asset) asset
    cross join (select array_agg(id) as ids from person) people;
    insert into document (asset_id, model_id, folded, owner_id, taken_at, local_month, is_listed)
    select id, 'm', '', owner_id, taken_at, local_month, false
    from (select *, row_number() over () as place from asset) asset where place % 10 = 0;
    insert into document_line (asset_id, line, position, text, score, box_score, quad)
    select asset_id, 0, 0, 'STOP', 0.9, 0.9, '{0,0,1,0,1,1,0,1}' from document;
    set constraints all immediate;
    alter table person enable trigger user;
    alter table face enable trigger user;
    alter table document enable trigger user;
    alter table document_line enable trigger user`);
  await sql`vacuum analyze person, face, document, document_line`;
}

/** Runs `work` and returns its result with the memory of the server before and at its peak. */
async function measurePeakMemory<T>(
  work: () => Promise<T>,
): Promise<{ value: T; fromMiB: number; peakMiB: number }> {
  const fromMiB = rssMiB();
  let peakMiB = fromMiB;
  const timer = setInterval(() => (peakMiB = Math.max(peakMiB, rssMiB())), 20);
  const value = await work();
  clearInterval(timer);
  return { value, fromMiB: Math.round(fromMiB), peakMiB: Math.round(peakMiB) };
}

/** Nothing is parsed: what is measured is the server. */
async function measureFirst(types: readonly string[]) {
  const started = performance.now();
  const { value, ...memory } = await measurePeakMemory(async () => {
    let [bytes, lines] = [0, 0];
    for await (const chunk of (await connection.stream(types)).body!) {
      bytes += chunk.length;
      for (const byte of chunk) if (byte === 10) lines += 1;
    }
    return { bytes, lines };
  });
  return { seconds: seconds(started), ...value, ...memory };
}

async function measureApp() {
  const started = performance.now();
  const { value, ...memory } = await measurePeakMemory(() => syncOnce(connection, emptyCopy()));
  return { seconds: seconds(started), lines: value.lines, ...memory };
}

/** A client that does not read: the server must not buffer the stream. */
async function measureSlowReader(): Promise<number> {
  await fetch(`${url}/sync/ack`, { method: 'DELETE', headers, body: '{}' });
  const { fromMiB, peakMiB } = await measurePeakMemory(async () => {
    const reader = (await connection.stream(APP_TYPES)).body!.getReader();
    await reader.read();
    await Bun.sleep(3000);
    await reader.cancel();
  });
  return peakMiB - fromMiB;
}

async function changeAssets(run: number): Promise<void> {
  await database.sql`update asset set file_name = ${`${run}.jpg`}
    where id in (select id from asset offset ${run * 10} limit 10)`;
}

/** Drawn anew, and of another person. */
async function changeFaces(run: number): Promise<void> {
  await database.sql`update face
    set x1 = 0.11, person_id = (select id from person offset ${run} limit 1)
    where id in (select id from face order by id offset ${run * 10} limit 10)`;
}

async function measureSmall(change: (run: number) => Promise<unknown>, counted: string) {
  const times: number[] = [];
  for (let run = 0; run < SMALL_RUNS; run++) {
    await change(run);
    await waitForWatermark(database);
    const started = performance.now();
    const acks: string[] = [];
    let changes = 0;
    for await (const { type, ack } of parseLines((await connection.stream(APP_TYPES)).body!)) {
      acks.push(ack);
      if (type === counted) changes += 1;
    }
    times.push(performance.now() - started);
    if (changes !== 10) throw new Error(`${changes} changes instead of 10`);
    await connection.ack(acks);
  }
  return spread(times);
}

/** Each write with the triggers of the log, and without them. */
async function measureWrites() {
  const names = await database.sql<{ name: string; on: string }[]>`
    select tgname as name, tgrelid::regclass::text as on from pg_trigger where tgname like '%_logged%'`;
  const setTriggers = async (state: 'enable' | 'disable') => {
    for (const { name, on } of names) {
      await database.sql.unsafe(`alter table ${on} ${state} trigger ${name}`);
    }
  };
  const results: Record<string, number>[] = [];
  for (const state of ['disable', 'enable', 'disable', 'enable'] as const) {
    await setTriggers(state);
    results.push(await timeWrites(database.sql));
  }
  await setTriggers('enable');
  const [without, withLog] = [
    [0, 2],
    [1, 3],
  ].map((runs) =>
    Object.fromEntries(
      Object.keys(results[0]!).map((key) => [
        key,
        round(Math.min(...runs.map((run) => results[run]![key]!)), 4),
      ]),
    ),
  );
  return { msPerAssetWithout: without, msPerAssetWithLog: withLog };
}

/** Milliseconds per asset. Nothing is flushed, so that the disk does not hide the difference. */
async function timeWrites(sql: Sql): Promise<Record<string, number>> {
  await sql`set synchronous_commit = off`;
  const time = async (count: number, work: () => Promise<unknown>) => {
    const started = performance.now();
    await work();
    return (performance.now() - started) / count;
  };
  const ids = Array.from({ length: SINGLE_WRITES }, () => crypto.randomUUID());
  const insert = await time(ids.length, async () => {
    for (const id of ids) {
      await sql`
        with file as (insert into original (sha256, size)
          values (sha256(${id}::text::bytea), 1) returning sha256)
        insert into asset (id, owner_id, type, sha256, sha1, file_name, file_size, taken_at,
          local_taken_at, file_modified_at)
        select ${id}, ${library.userId}, 'IMAGE', sha256, substring(sha256 for 20), 'a.jpg', 1, now(),
          now(), now() from file`;
    }
  });
  const exif = await time(ids.length, async () => {
    for (const id of ids)
      await sql`insert into asset_exif (asset_id, make) values (${id}, 'Canon')`;
  });
  const update = await time(ids.length, async () => {
    for (const id of ids) await sql`update asset set width = 4000, height = 3000 where id = ${id}`;
  });
  const many = await time(assets, () => sql`update asset set is_favorite = not is_favorite`);
  await sql`delete from asset where id = any(${ids})`;
  await sql`vacuum asset`;
  return { insert, exif, update, updateOfAllAtOnce: many };
}

function seconds(started: number): number {
  return round((performance.now() - started) / 1000, 2);
}
