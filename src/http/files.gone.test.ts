import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../core/log.ts';
import { fileResponse } from './files.ts';
import { startListener } from './listener.ts';

const folder = mkdtempSync(join(tmpdir(), 'files-'));
const TEN = '0123456789';
const file = { size: 10, etag: '"v1"', type: 'video/mp4' } as const;

beforeAll(() => writeFileSync(join(folder, 'ten'), TEN));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a file that is not there any more', () => {
  const BIG = 600 * 1024;
  for (const [kind, size, left] of [
    ['gone', 10, undefined],
    ['cut short', 10, 4],
    ['gone, and too long to be read at once', BIG, undefined],
    ['cut short, and too long to be read at once', BIG, 1000],
  ] as const) {
    test(`${kind}: returns 404 and calls onGone`, async () => {
      const lost = join(folder, 'lost');
      rmSync(lost, { force: true });
      if (left !== undefined) writeFileSync(lost, Buffer.alloc(left));
      let told = 0;
      const onGone = () => {
        told += 1;
      };
      const server = await startListener({
        host: '127.0.0.1',
        port: 0,
        log: silentLog,
        fetch: (request) => fileResponse(request, { ...file, path: lost, size, onGone }),
      });
      const response = await fetch(server.url);
      expect(response.status).toBe(404);
      expect(response.headers.get('etag')).toBeNull();
      expect(await response.json()).toEqual({ message: 'Not found' });
      expect(told).toBe(1);
      // A file that is not read is not reported as missing.
      expect((await fetch(server.url, { headers: { 'if-none-match': '"v1"' } })).status).toBe(304);
      expect(told).toBe(1);
      await server.stop(50);
    });
  }
});

test('a file that is replaced between its row and its opening is asked for again', async () => {
  const names = ['replaced', 'ten', 'ten'];
  let told = 0;
  const server = await startListener({
    host: '127.0.0.1',
    port: 0,
    log: silentLog,
    fetch: (request) =>
      fileResponse(request, {
        ...file,
        path: join(folder, names.shift() ?? 'none'),
        onGone: () => (told += 1),
      }),
  });
  const response = await fetch(server.url);
  expect([response.status, await response.text(), told, names]).toEqual([200, TEN, 0, ['ten']]);
  await server.stop(50);
});
