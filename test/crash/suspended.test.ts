import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { effort } from '../support/effort.ts';
import {
  findChild,
  makeSlowFiles,
  openProgress,
  type SlowFile,
  TRANSCODER,
  uploadAll,
  uploadFiles,
} from '../e2e/ingest.ts';
import { type RunningServer, signUp, startServer, until } from '../e2e/server.ts';
import { TIMEOUT_MS } from '../e2e/stage.ts';

// Decoders that are suspended during their work, in a whole server.

/** For each decoder: more than run at the same time. */
const FILES = effort({ quick: 3, full: 4 });

let files: SlowFile[];
beforeAll(async () => {
  files = await makeSlowFiles();
}, TIMEOUT_MS);

const findFile = (name: string): SlowFile => files.find((file) => file.name === name)!;

test(
  'a server that stops answers requests while it waits for a job',
  async () => {
    const server = await startServer();
    try {
      await uploadAll(server.url, [findFile('film.mov')]);
      const ffmpeg = await until('ffmpeg', async () => findChild(server, TRANSCODER));
      process.kill(ffmpeg, 'SIGSTOP');
      server.process.kill('SIGTERM');
      await until('the stop', async () => server.log.some((line) => line.includes('"stopping"')));
      // On new connections: those that are open are served a little longer anyway.
      const ping = () => fetch(`${server.url}/api/server/ping`, { keepalive: false });
      for (const from = performance.now(); performance.now() - from < 2000;) {
        expect((await ping()).status).toBe(200);
        await Bun.sleep(10);
      }
      process.kill(ffmpeg, 'SIGCONT');
      expect(await server.process.exited).toBe(0);
    } finally {
      await server.stop();
    }
  },
  TIMEOUT_MS,
);

// At the same time, on one server: they wait for what is suspended.
describe.concurrent('while a server runs', () => {
  let server: RunningServer;
  let progress: ReturnType<typeof openProgress>;
  let apiKey: string;
  beforeAll(async () => {
    server = await startServer('--media-concurrency=2');
    progress = openProgress(server);
    ({ apiKey } = await signUp(server.url));
  }, TIMEOUT_MS);
  afterAll(async () => {
    await progress?.close();
    await server?.stop();
  }, TIMEOUT_MS);

  test.each([
    ['the decoder of pictures', 'photo.jpg', 'image-worker'],
    ['ffmpeg', 'film.mov', TRANSCODER],
    ['exiftool', 'bitmap.bmp', 'exiftool -config'],
  ] as const)(
    '%s is replaced when it is suspended, and its job completes',
    async (_, name, words) => {
      const added = Array.from({ length: FILES }, () => findFile(name));
      const adding = uploadFiles(server.url, apiKey, added);
      const stopped = await until(`a process "${words}"`, async () => findChild(server, words));
      process.kill(stopped, 'SIGSTOP');
      await adding;
      await until('its end', async () => !existsSync(`/proc/${stopped}`));
      await until('all files', progress.isDone, 300);
      expect((await progress.count()).broken).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
