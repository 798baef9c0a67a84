import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Job threads of a process that gets little processor time, or none.

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'safelight-thread-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a process that is stopped nine tenths of the time, until `isOver`; returns what it has printed. */
async function starve(
  kind: string,
  isOver: (printed: string) => boolean,
  stopMs = 450,
): Promise<string> {
  const child = Bun.spawn(
    [
      process.execPath,
      join(import.meta.dir, '../../test/support/starved-thread.ts'),
      join(folder, `${kind}.ts`),
      kind,
    ],
    { stdout: 'pipe', stderr: 'inherit' },
  );
  let printed = '';
  const reading = (async () => {
    for await (const chunk of child.stdout) printed += Buffer.from(chunk).toString();
  })();
  while (!printed.includes('started')) await Bun.sleep(10);
  while (!isOver(printed) && child.exitCode === null) {
    child.kill('SIGSTOP');
    await Bun.sleep(stopMs);
    child.kill('SIGCONT');
    await Bun.sleep(stopMs / 9);
  }
  child.kill('SIGKILL');
  await reading;
  return printed;
}

test('no thread is ended on a machine without processor time, but one that loops without end is', async () => {
  const until = performance.now() + 12_000;
  expect(await starve('slow', () => performance.now() > until)).toBe('started\n');
  expect(await starve('endless', (printed) => printed.includes('died'))).toContain('died');
}, 120_000);

test('no thread is ended when the whole process is stopped for longer than its patience', async () => {
  let stops = 0;
  expect(await starve('slow', () => ++stops > 2, 5000)).toBe('started\n');
}, 60_000);
