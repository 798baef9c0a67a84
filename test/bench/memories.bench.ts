// bun test/bench/memories.bench.ts [assets]: latency of the list of memories in a large library, duration
// of the nightly generation, and with the pictures of SAFELIGHT_TEST_MEDIA how good its choice is. On a
// database of the server in TEST_POSTGRES; prints JSON.
import { latency, openLibrary } from './measure.ts';
import { insertMemories } from './seed-memories.ts';
import { measureChoice, measureNights } from './memory-generation.ts';
import { dropLibrary, seedLibrary } from './seed.ts';

const [assets = 1_000_000] = process.argv.slice(2).map(Number);
/** A month of memories: each day is about ten years, with twelve assets each. */
const DAYS = 30;
const YEARS = 10;
const RULES = 5;

const library = await seedLibrary('bench_memories', assets);
const open = openLibrary(library);
const { sql, request, close } = open;

const results: Record<string, unknown> = { assets, memories: DAYS * YEARS };
try {
  const firstDay = '2026-01-01';
  await insertMemories(sql, library.userId, { firstDay, days: DAYS, years: YEARS });
  results['dayMs'] = await latency(() => request('GET /memories?for=2026-01-15&withAllTypes=true'));
  results['pageMs'] = await latency(() => request('GET /memories?size=10&withAllTypes=true'));
  results['statisticsMs'] = await latency(() =>
    request('GET /memories/statistics?withAllTypes=true'),
  );
  results['allMs'] = await latency(() => request('GET /memories'), 10);
  await sql`
    with who as (
      insert into person (owner_id, name) select ${library.userId}, 'Person ' || n
      from generate_series(1, ${RULES}) n returning id)
    insert into memory_rule (owner_id, kind, person_id) select ${library.userId}, 'person', id from who`;
  results['dayWithRulesMs'] = await latency(() =>
    request('GET /memories?for=2026-01-15&withAllTypes=true'),
  );
  await sql`delete from memory_rule`;
  await sql`delete from person`;
  results['generation'] = await measureNights(library, open);
} finally {
  await close();
  await dropLibrary(library.name);
}
const media = process.env['SAFELIGHT_TEST_MEDIA'];
if (media) results['choice'] = await measureChoice(media);
console.log(JSON.stringify(results));
