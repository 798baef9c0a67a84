// bun test/bench/search-pages.bench.ts [assets]: processor time of reading every page of a search once, of the API
// in this process and of the database, in milliseconds by page. On a database of the server in TEST_POSTGRES.
// Prints a line of JSON for each.
import { createApp } from '../../src/app.ts';
import { send } from '../support/harness.ts';
import { openLibrary, round } from './measure.ts';
import { databaseCpuMs } from './processes.ts';
import { dropLibrary, seedLibrary } from './seed.ts';

const [assets = 5_000] = process.argv.slice(2).map(Number);
/** At least. */
const PAGES = 400;

const library = await seedLibrary('bench_search_pages', assets);
const asOwner = { as: { key: library.key } };

const WALKS = [
  { name: 'search, pages of 250 never read before', body: { size: 250 } },
  { name: 'search, pages of 250 never read before, with EXIF', body: { withExif: true } },
];

/** Reads every page once, by a process that remembers none of them. */
async function measureWalk({ name, body }: { readonly name: string; readonly body: object }) {
  let [pages, cpu, databaseCpu] = [0, 0, 0];
  while (pages < PAGES) {
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
    } while (cursor && pages < PAGES);
    const used = process.cpuUsage(before);
    cpu += (used.user + used.system) / 1000;
    databaseCpu += databaseCpuMs(library.name) - databaseBefore;
    await fresh.close();
  }
  return { name, cpuMs: round(cpu / pages), databaseCpuMs: round(databaseCpu / pages) };
}

try {
  for (const walk of WALKS) console.log(JSON.stringify(await measureWalk(walk)));
} finally {
  await dropLibrary(library.name);
}
