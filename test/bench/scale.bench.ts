// bun test/bench/scale.bench.ts [assets]: the reads of a library of a million assets, or of so many, that is seeded by
// SQL: how many blocks of PostgreSQL each takes, first and again in the same process. Prints a line of JSON for each,
// then the ten worst with the plans of their longest statements.
import { openDatabase } from '../../src/db/client.ts';
import { furnish } from './furnish.ts';
import {
  type Call,
  getAmounts,
  listCalls,
  measureCalls,
  stopAutovacuum,
  storeSummaries,
} from './growth.ts';
import { openLibrary } from './measure.ts';
import { dropLibrary, type Library, seedLibrary } from './seed.ts';

const [assets = 1_000_000] = process.argv.slice(2).map(Number);
/** Accounts that own a fifth of the assets. */
const OTHERS = 4;
const WORST = 10;
/** A plan is printed of each statement that takes so long, in ms. */
const LONG_MS = 20;
const LINE_CHARACTERS = 160;

const library = await seedLibrary(`scale_${process.pid}`, assets, { others: OTHERS });
const filler = openDatabase(library.url, { max: 1 });
const { albumId } = await furnish(filler.sql, library, { amounts: getAmounts(assets / 10) });
const calls = await listCalls(filler.sql, albumId);
await stopAutovacuum(filler.sql);
await storeSummaries(library, filler.sql, calls);
const opened = openLibrary(library, 1);
const reads = [...(await measureCalls(opened, filler.sql, calls))].toSorted(
  ([, a], [, b]) => a.first - b.first,
);
await opened.close();
for (const [name, row] of reads) console.log(JSON.stringify({ name, ...row }));
for (const [name] of reads.slice(-WORST).toReversed()) {
  const call = calls.find(([other]) => other === name)!;
  console.log(`\n# ${name}: ${call[1]} ${JSON.stringify(call[2] ?? '')}\n`);
  for (const plan of await explain(library, call)) console.log(shorten(plan));
}
await filler.close();
await dropLibrary(library.name);
process.exit(0);

/** Statements name all columns, and conditions all ids. */
function shorten(plan: string): string {
  const lines = plan.split('\n').map((line) => line.slice(0, LINE_CHARACTERS));
  return lines.join('\n');
}

/** Returns the plans of the long statements of a call, in a process of PostgreSQL that has just started. */
async function explain(of: Library, [, route, body]: Call): Promise<string[]> {
  const plans: string[] = [];
  const database = openDatabase(of.url, {
    max: 1,
    onNotice: ({ message }) => message?.includes('plan:') && plans.push(message),
  });
  await database.sql.unsafe(`load 'auto_explain'; set auto_explain.log_level = notice;
    set auto_explain.log_min_duration = ${LONG_MS}; set auto_explain.log_analyze = on;
    set auto_explain.log_buffers = on; set auto_explain.log_timing = off`);
  const { request, close } = openLibrary(of, 1, database);
  await request(route, body);
  await close();
  return plans;
}
