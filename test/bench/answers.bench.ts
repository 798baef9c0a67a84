// bun test/bench/answers.bench.ts [assets]: processor time of frequent answers, of the API in this process
// and of the database, in milliseconds. On a database of the server in TEST_POSTGRES;
// SAFELIGHT_TEST_LIBRARY names a file: the library in it is used again, or one is made and kept there.
// SAFELIGHT_TEST_ONLY: parts of names. Prints a line of JSON for each.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { openDatabase } from '../../src/db/client.ts';
import { send } from '../support/harness.ts';
import { createApp } from '../../src/app.ts';
import { type Furnished, furnish } from './furnish.ts';
import { openLibrary, round } from './measure.ts';
import { databaseCpuMs } from './processes.ts';
import { dropLibrary, seedLibrary } from './seed.ts';

const [assets = 5_000] = process.argv.slice(2).map(Number);
const WARM_UP = 200;
const CALLS = 400;

const kept = process.env['SAFELIGHT_TEST_LIBRARY'];
const only = process.env['SAFELIGHT_TEST_ONLY']?.split(',') ?? [];
const library = await openFurnished();
const { deps, close } = openLibrary(library);
const app = createApp(deps);
const asOwner = { as: { key: library.key } };

async function openFurnished(): Promise<Furnished> {
  if (kept && existsSync(kept)) return JSON.parse(readFileSync(kept, 'utf8')) as Furnished;
  const seeded = await seedLibrary('bench_answers', assets);
  const opened = openDatabase(seeded.url, { max: 1 });
  const furnished = await furnish(opened.sql, seeded);
  await opened.sql`update app_user set is_admin = true where id = ${seeded.userId}`;
  // Few enough to be listed whole, as they mostly are.
  await opened.sql`delete from stack where id not in (select id from stack order by id limit 300)`;
  await opened.sql`vacuum analyze`;
  await opened.close();
  if (kept) writeFileSync(kept, JSON.stringify(furnished));
  return furnished;
}

type Call = { readonly name: string; readonly route: string; readonly body?: object };

const known = await deps.sql<{ id: string; checksum: string }[]>`
  select id, encode(sha1, 'hex') as checksum from asset order by id limit 500`;
const unknown = known.map(({ id }) => ({
  id,
  checksum: new Bun.CryptoHasher('sha1').update(id).digest('hex'),
}));
const CALLS_OF: readonly Call[] = [
  { name: 'search, page of 250', route: 'POST /search/metadata', body: { size: 250 } },
  {
    name: 'search, page of 250 with EXIF',
    route: 'POST /search/metadata',
    body: { withExif: true },
  },
  { name: 'stacks', route: 'GET /stacks' },
  {
    name: 'upload check of 500, all there',
    route: 'POST /assets/bulk-upload-check',
    body: { assets: known },
  },
  {
    name: 'upload check of 500, all new',
    route: 'POST /assets/bulk-upload-check',
    body: { assets: unknown },
  },
  { name: 'jobs', route: 'GET /jobs' },
  { name: 'server statistics', route: 'GET /server/statistics' },
  { name: 'cities', route: 'GET /search/cities' },
  { name: 'people', route: 'GET /people' },
];

async function measure({ name, route, body }: Call) {
  let bytes = 0;
  const ask = async () => {
    const reply = await send(app, route, { ...asOwner, ...(body && { body }) });
    bytes = (await reply.arrayBuffer()).byteLength;
    if (!reply.ok) throw new Error(`${name}: ${reply.status}`);
  };
  await ask();
  const share = bytes > 1_000_000 ? 0.1 : 1;
  for (let n = 0; n < WARM_UP * share; n += 1) await ask();
  const calls = CALLS * share;
  const [before, databaseBefore] = [process.cpuUsage(), databaseCpuMs(library.name)];
  const from = performance.now();
  for (let n = 0; n < calls; n += 1) await ask();
  const used = process.cpuUsage(before);
  return {
    name,
    cpuMs: round((used.user + used.system) / 1000 / calls),
    databaseCpuMs: round((databaseCpuMs(library.name) - databaseBefore) / calls),
    wallMs: round((performance.now() - from) / calls),
    kB: Math.ceil(bytes / 1000),
  };
}

const WALKS = [
  { name: 'search, pages of 250 never read before', body: { size: 250 } },
  { name: 'search, pages of 250 never read before, with EXIF', body: { withExif: true } },
];

/** Reads every page once, by a process that remembers none of them. */
async function measureWalk({ name, body }: { readonly name: string; readonly body: object }) {
  let [pages, cpu, databaseCpu] = [0, 0, 0];
  while (pages < CALLS) {
    const fresh = openLibrary(library);
    const freshApp = createApp(fresh.deps);
    // Opens the connection.
    await send(freshApp, 'GET /users/me', asOwner);
    const [before, databaseBefore] = [process.cpuUsage(), databaseCpuMs(library.name)];
    let cursor: string | null | undefined;
    do {
      const reply = await send(freshApp, 'POST /search/metadata', {
        ...asOwner,
        body: { ...body, ...(cursor && { cursor }) },
      });
      // Like a client that reads nothing but the cursor, which is at the end.
      cursor = /"nextCursor":"([^"]+)"/.exec((await reply.text()).slice(-300))?.[1];
      pages += 1;
    } while (cursor && pages < CALLS);
    const used = process.cpuUsage(before);
    cpu += (used.user + used.system) / 1000;
    databaseCpu += databaseCpuMs(library.name) - databaseBefore;
    await fresh.close();
  }
  return { name, cpuMs: round(cpu / pages), databaseCpuMs: round(databaseCpu / pages) };
}

const isWanted = ({ name }: { readonly name: string }) =>
  only.length === 0 || only.some((part) => name.includes(part));

try {
  for (const call of CALLS_OF.filter(isWanted)) console.log(JSON.stringify(await measure(call)));
  for (const walk of WALKS.filter(isWanted)) console.log(JSON.stringify(await measureWalk(walk)));
} finally {
  await close();
  if (!kept) await dropLibrary(library.name);
}
