import { beforeAll, expect, test } from 'bun:test';
import { effort } from '../support/effort.ts';
import { makeSlowFiles, openProgress, type SlowFile, uploadAll } from '../e2e/ingest.ts';
import { startAgain, startServer, until } from '../e2e/server.ts';
import { TIMEOUT_MS } from '../e2e/stage.ts';

// Decoders that are terminated during their work, in a whole server.

let files: SlowFile[];
beforeAll(async () => {
  files = await makeSlowFiles();
}, TIMEOUT_MS);

test.each(['SIGINT', 'SIGTERM'] as const)(
  'a %s to the whole process group during ingest marks no file broken',
  async (signal) => {
    const server = await startServer('--media-concurrency=2');
    const { count, isDone, close } = openProgress(server);
    try {
      const rounds = Array.from({ length: effort({ quick: 4, full: 6 }) }, () => files);
      // The slowest is the last, so that something is left to do.
      const all = [...files.slice(0, -1), ...rounds.flat()];
      await uploadAll(server.url, all);
      await until('the first pictures', async () => (await count()).shown > 2);
      // As a terminal does it, and systemd.
      process.kill(-server.process.pid, signal);
      await server.process.exited;
      expect((await count()).broken).toEqual([]);
      expect((await count()).shown).toBeLessThan(all.length);

      const next = await startAgain(server);
      await until('all files', isDone, 300);
      expect(await count()).toMatchObject({ shown: all.length, broken: [] });
      await next.stop();
    } finally {
      await close();
      await server.stop();
    }
  },
  TIMEOUT_MS,
);
