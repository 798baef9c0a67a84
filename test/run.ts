// Runs the tests on a private PostgreSQL that is thrown away afterwards:
//   bun test/run.ts [files and flags of bun test]
// The last line counts what was run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../src/core/log.ts';
import { startCluster } from '../src/db/cluster.ts';

const log = createLog({ level: 'warn', format: 'pretty' });
const folder = mkdtempSync(join(tmpdir(), 'safelight-tests-'));
const cluster = await startCluster({ dataDir: folder, durability: 'none', log });

// A busy machine is no failure: what hangs is still ended. `--parallel=2 --no-isolate` takes two thirds
// of the time, and finds what only a busy machine shows.
const command = [process.execPath, 'test', '--timeout', '60000', ...process.argv.slice(2)];
const child = Bun.spawn(command, {
  env: {
    ...process.env,
    TEST_POSTGRES: cluster.url.replace(/\/[^/]*$/, ''),
    // What is tested from outside is what people run.
    SAFELIGHT_TEST_BINARY: join(import.meta.dir, '../dist/safelight'),
    TZ: 'UTC',
  },
  stdio: ['inherit', 'pipe', 'pipe'],
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));

const seen = await Promise.all([
  pass(child.stdout, process.stdout),
  pass(child.stderr, process.stderr),
]);
const code = await child.exited;
await cluster.stop();
rmSync(folder, { recursive: true, force: true });

console.log(closingLine(seen.join('\n')));
process.exitCode = code;

/** Hands the output on as it comes and keeps its end, where the counts are. */
async function pass(from: ReadableStream<Uint8Array>, to: NodeJS.WriteStream): Promise<string> {
  const decoder = new TextDecoder();
  let tail = '';
  for await (const chunk of from) {
    to.write(chunk);
    tail = (tail + decoder.decode(chunk, { stream: true })).slice(-4_000);
  }
  return tail;
}

function closingLine(output: string): string {
  const count = (word: string) =>
    Number([...output.matchAll(new RegExp(`^ *(\\d+) ${word}$`, 'gm'))].at(-1)?.[1] ?? 0);
  const [passed, failed, errors] = [count('pass'), count('fail'), count('errors?')];
  const skipped = count('skip') + count('todo');
  // A runner that broke without counting has failed, whatever it ran before.
  const broken = code !== 0 && failed + errors === 0 ? 1 : 0;
  const tail = skipped > 0 ? `, ${skipped} skipped` : '';
  return `${passed} passed, ${failed + errors + broken} failed${tail}`;
}
