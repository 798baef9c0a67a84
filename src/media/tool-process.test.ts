import { afterAll, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readProcessStat } from './process-stat.ts';
import { getFreeBytes } from '../core/disk-reserve.ts';
import { isOutOfSpace } from '../core/disk-errors.ts';
import { setDiskReserve, runTool } from './tool-process.ts';
import { skipWithout } from '../../test/support/requirements.ts';

const folder = mkdtempSync(join(tmpdir(), 'tools-'));
afterAll(() => rmSync(folder, { recursive: true }));

const LIMITS = { timeoutMs: 20_000 };

/** Runs a shell that first says which process it is. */
async function start(script: string, options: Partial<Parameters<typeof runTool>[1]> = {}) {
  const said = Promise.withResolvers<number>();
  const onStdout = (text: string) => said.resolve(Number(text.split('\n')[0]));
  const result = runTool(['sh', '-c', `echo $$; ${script}`], { ...LIMITS, onStdout, ...options });
  result.catch(said.reject);
  return { pid: await said.promise, result };
}

test('a tool runs in a process group of its own, so that a Ctrl-C or a signal to our group misses it', async () => {
  const { pid, result } = await start('exec sleep 20');
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  expect(Number(fields[2])).toBe(pid);
  process.kill(pid, 'SIGKILL');
  await expect(result).rejects.toThrow('SIGKILL');
});

test.each([
  ['SIGTERM', 'killed'],
  ['SIGINT', 'killed'],
  ['SIGKILL', 'killed'],
  // Its own, as of a decoder that a file has misled.
  ['SIGSEGV', 'interrupted'],
] as const)('a tool that %s ends says nothing about the file', async (signal, kind) => {
  const { pid, result } = await start('exec sleep 20');
  process.kill(pid, signal);
  await expect(result).rejects.toMatchObject({ kind });
});

test("ffmpeg ended by SIGTERM throws 'killed', not 'broken'", async () => {
  const target = join(folder, 'endless.rgb');
  const source = ['-re', '-f', 'lavfi', '-i', 'testsrc2=size=64x64:rate=25'];
  const command = ['ffmpeg', '-nostdin', '-v', 'error', ...source];
  const result = runTool([...command, '-f', 'rawvideo', target], {
    ...LIMITS,
    nice: 5,
    output: target,
  });
  result.catch(() => {});
  while (!existsSync(target)) await Bun.sleep(5);
  const find = Bun.spawnSync(['pgrep', '-f', target]).stdout.toString().trim().split('\n');
  for (const pid of find) process.kill(Number(pid), 'SIGTERM');
  await expect(result).rejects.toMatchObject({ kind: 'killed' });
});

test('a stopped tool is ended, with what it has started', async () => {
  const { pid, result } = await start('sleep 30 & echo $!; wait', { stallMs: 300 });
  const children = () => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  while (children() === '') await Bun.sleep(5);
  const grandchild = Number(children());
  process.kill(pid, 'SIGSTOP');
  await expect(result).rejects.toMatchObject({ kind: 'interrupted' });
  // A process that is gone, or a zombie until its new parent looks.
  while ((readProcessStat(grandchild)?.state ?? 'Z') !== 'Z') await Bun.sleep(5);
});

test('a tool that used the processor is too slow; one that got none of it says nothing about the file', async () => {
  const loop = 'while :; do :; done';
  const { result } = await start(loop, { timeoutMs: 500 });
  await expect(result).rejects.toMatchObject({ kind: 'timeout' });

  const starved = await start(loop, { timeoutMs: 1000 });
  let isOver = false;
  const ended = starved.result.catch((error: unknown) => error).finally(() => (isOver = true));
  while (!isOver) {
    for (const signal of ['SIGSTOP', 'SIGCONT'] as const) {
      process.kill(starved.pid, signal);
      await Bun.sleep(signal === 'SIGSTOP' ? 180 : 20);
      if (isOver) break;
    }
  }
  expect(await ended).toMatchObject({ kind: 'killed' });
}, 60_000);

test('a tool that uses the processor or prints is not killed as stalled', async () => {
  const busy = 'i=0; while [ $i -lt 1500000 ]; do i=$((i+1)); done';
  const talking = 'for i in 1 2 3 4 5; do echo $i; sleep 1; done';
  const exitCode = async (script: string, stallMs: number) => {
    const { result } = await start(script, { stallMs });
    return (await result).code;
  };
  expect(await Promise.all([exitCode(busy, 1500), exitCode(talking, 4000)])).toEqual([0, 0]);
});

test('a tool gets no more memory than its limit, and the file is not blamed', async () => {
  const script = 'my $x = "x" x 300_000_000; print STDERR length $x';
  const run = (dataBytes: number) => runTool(['perl', '-e', script], { ...LIMITS, dataBytes });
  await expect(run(100 * 1024 ** 2)).rejects.toMatchObject({ kind: 'interrupted' });
  expect((await run(900 * 1024 ** 2)).code).toBe(0);
});

test('a full disk does not blame the file', async () => {
  const writing = runTool(['dd', 'if=/dev/zero', 'of=/dev/full', 'count=1'], { timeoutMs: 10_000 });
  const error = await writing.catch((reason: unknown) => reason);
  expect([(error as Error).name, isOutOfSpace(error)]).toEqual(['DiskFull', true]);
});

skipWithout('Landlock').test(
  'a tool may write its output again, and no other file that its command names',
  async () => {
    const output = join(mkdtempSync(join(folder, 'blanks and ü-')), 'again');
    for (let round = 0; round < 2; round++)
      expect((await runTool(['cp', '/etc/hostname', output], { ...LIMITS, output })).code).toBe(0);
    const file = join(folder, 'file');
    await Bun.write(file, 'mine');
    const { code } = await runTool(['cp', '/etc/hostname', file], { ...LIMITS, output });
    expect([code === 0, await Bun.file(file).text()]).toEqual([false, 'mine']);
  },
);

test('the output of a tool respects the reserved disk space, without blaming the file', async () => {
  const output = join(folder, 'endless');
  const write = () =>
    runTool(['dd', 'if=/dev/zero', `of=${output}`, 'bs=1M'], { ...LIMITS, output }).catch(
      (error: unknown) => error,
    );
  try {
    for (const left of [20 * 1024 ** 2, 0]) {
      setDiskReserve(getFreeBytes(folder) - left);
      expect(isOutOfSpace(await write())).toBe(true);
      rmSync(output, { force: true });
    }
  } finally {
    setDiskReserve(0);
  }
});
