// bun test/bench/main.ts [name …] [size or --option …]: runs the measurements of this folder one after the other, all
// or those named, on a PostgreSQL of their own with the settings of the product. Each prints JSON.
// Sizes are numbers that each of them takes instead of its own. What follows `figures`, `compare` or `tests` is theirs.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../src/core/log.ts';
import { startBenchCluster } from './cluster.ts';

/** Run with another that measures the same code. */
const FURTHER: Readonly<Record<string, string>> = { 'search-quality': 'search-families' };
/** They take words, and are run when they are asked for only. */
const REPORTS = ['figures', 'compare', 'tests'];
const names = readdirSync(import.meta.dir)
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.replace('.bench.ts', ''))
  .sort();

type Run = { readonly name: string; readonly words: readonly string[] };

function listRuns([first, ...rest]: readonly string[]): Run[] {
  if (first !== undefined && REPORTS.includes(first)) return [{ name: first, words: rest }];
  const isOption = (word: string) => /^(?:\d+$|--)/.test(word);
  const words = process.argv.slice(2).filter(isOption);
  const wanted = process.argv.slice(2).filter((word) => !isOption(word));
  const unknown = wanted.find((name) => !names.includes(name) || REPORTS.includes(name));
  if (unknown) {
    console.error(`There is no bench '${unknown}' here, only ${names.join(', ')}`);
    process.exit(2);
  }
  const all = names.filter((name) => !REPORTS.includes(name));
  const further = wanted.flatMap((name) => FURTHER[name] ?? []);
  const chosen = new Set(wanted.length > 0 ? [...wanted, ...further] : all);
  return [...chosen].map((name) => ({ name, words }));
}

const runs = listRuns(process.argv.slice(2));
const folder = mkdtempSync(join(tmpdir(), 'safelight-bench-'));
const log = createLog({ level: 'warn', format: 'pretty' });
const cluster = await startBenchCluster(folder, log);
const failed: string[] = [];
for (const { name, words } of runs) {
  console.log(`\n# ${name}`);
  const child = Bun.spawn([process.execPath, join(import.meta.dir, `${name}.bench.ts`), ...words], {
    env: {
      ...process.env,
      TEST_POSTGRES: cluster.url.replace(/\/[^/]*$/, ''),
      SAFELIGHT_TEST_BINARY:
        process.env['SAFELIGHT_TEST_BINARY'] ?? join(import.meta.dir, '../../dist/safelight'),
      TZ: 'UTC',
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if ((await child.exited) !== 0) failed.push(name);
}
await cluster.stop();
rmSync(folder, { recursive: true, force: true });
if (failed.length > 0) console.error(`failed: ${failed.join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;
