import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { flat, openFixtures } from '../../test/fixtures/index.ts';
import { MAX_DECODE_BYTES, withDecodeMemory } from './decode-memory.ts';

import { callImageChild, closeImageChildren } from './image-children.ts';
import { residentBytes } from './process-stat.ts';
import { DEFAULT_OUTPUTS } from './sizes.ts';
import { listOwnProcesses } from '../../test/support/processes.ts';

const MIB = 1024 ** 2;
const fixtures = openFixtures();
afterAll(async () => {
  await closeImageChildren();
  fixtures.remove();
});

const good = fixtures.path('good.png');
await flat([1, 2, 3]).png().toFile(good);
const render = (path: string, signal?: AbortSignal) =>
  callImageChild(
    { op: 'render', file: { path, isJpeg: false }, outputs: DEFAULT_OUTPUTS },
    { signal },
  );

/** Returns the children of this process that decode pictures. */
const children = (): number[] => listOwnProcesses('image-worker');

/** A pipe that nobody writes into: decoding it never ends. */
function endless(name: string): string {
  const path = fixtures.path(name);
  Bun.spawnSync(['mkfifo', path]);
  return path;
}

async function startedChild(before: readonly number[]): Promise<number> {
  for (;;) {
    const pid = children().find((one) => !before.includes(one));
    if (pid !== undefined) return pid;
    await Bun.sleep(5);
  }
}

test('one child decodes one picture after the other, several decode at the same time', async () => {
  await closeImageChildren();
  for (let n = 0; n < 3; n++) expect((await render(good)).width).toBe(96);
  expect(children()).toHaveLength(1);
  await Promise.all([render(good), render(good), render(good)]);
  expect(children().length).toBeGreaterThan(1);
});

test('a killed child does not blame the picture, and the next one is decoded', async () => {
  await closeImageChildren();
  const work = render(endless('killed.png'));
  work.catch(() => {});
  process.kill(await startedChild([]), 'SIGKILL');
  await expect(work).rejects.toMatchObject({ kind: 'killed' });
  expect((await render(good)).width).toBe(96);
});

test('aborting ends the child', async () => {
  await closeImageChildren();
  const abort = new AbortController();
  const work = render(endless('given-up.png'), abort.signal);
  work.catch(() => {});
  const pid = await startedChild([]);
  abort.abort(new Error('enough'));
  await expect(work).rejects.toThrow('enough');
  while (children().includes(pid)) await Bun.sleep(5);
});

test('a file that cannot be opened is not reported as broken', async () => {
  const error = await render('/nowhere/a.png').catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: 'Error', message: expect.stringContaining('ENOENT') });
});

test('a picture that is larger than its container says gets no more memory than others', async () => {
  const bytes = Buffer.from(
    await Bun.file(join(import.meta.dir, '../../test/fixtures/16000x9000.avif')).bytes(),
  );
  const at = bytes.indexOf('ispe') + 8;
  bytes.writeUInt32BE(64, at);
  bytes.writeUInt32BE(64, at + 4);
  const path = fixtures.path('lying.avif');
  await Bun.write(path, bytes);
  let peak = 0;
  const sample = () => (peak = Math.max(peak, ...children().map(residentBytes)));
  const sampler = setInterval(sample, 10);
  await expect(render(path)).rejects.toHaveProperty('kind');
  clearInterval(sampler);
  // It may be refused before the first one.
  sample();
  expect(peak).toBeGreaterThan(0);
  expect(peak).toBeLessThan(MAX_DECODE_BYTES + 300 * MIB);
  expect((await render(good)).width).toBe(96);
}, 300_000);

test('large pictures wait until there is memory for them, small ones do not', async () => {
  const running: string[] = [];
  const gate = Promise.withResolvers<void>();
  const start = (name: string, bytes: number) =>
    withDecodeMemory(bytes, undefined, async () => {
      running.push(name);
      await gate.promise;
    });
  const first = start('first', 300 * MIB);
  const second = start('second', 300 * MIB);
  const small = start('small', 20 * MIB);
  const abort = new AbortController();
  const given = withDecodeMemory(
    300 * MIB,
    abort.signal,
    async () => void running.push('given up'),
  );
  abort.abort(new Error('enough'));
  await expect(given).rejects.toThrow('enough');
  expect(running).toEqual(['first', 'small']);
  gate.resolve();
  await Promise.all([first, second, small]);
  expect(running).toEqual(['first', 'small', 'second']);
});
