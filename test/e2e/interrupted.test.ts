import { afterAll, beforeAll, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/db/client.ts';
import { listProcessTree } from '../../src/core/process-memory.ts';
import { photoLikeJpeg, REAL_MEDIA, run } from '../fixtures/index.ts';
import { DATES, filePart, FORM_TYPE, createForm } from '../support/forms.ts';
import { type RunningServer, signUp, startAgain, startServer, until } from './server.ts';

// Decoders that are terminated or suspended during their work, in a whole server.

const TIMEOUT_MS = 600_000;

let folder: string;
let files: readonly { readonly name: string; readonly make: () => Uint8Array }[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'safelight-interrupted-'));
  const jpeg = await photoLikeJpeg();
  const bitmap = join(folder, 'a.bmp');
  const film = join(folder, 'a.mov');
  const pattern = (size: string, seconds: number) => [
    '-v',
    'error',
    '-f',
    'lavfi',
    '-i',
    `testsrc2=size=${size}:rate=25:duration=${seconds}`,
  ];
  run('ffmpeg', ...pattern('3000x2000', 0.04), '-frames:v', '1', bitmap);
  // No browser plays it: it is transcoded, which takes a while.
  run('ffmpeg', ...pattern('1280x720', 5), '-c:v', 'mpeg4', '-q:v', '3', film);
  const [bmp, mov] = [readFileSync(bitmap), readFileSync(film)];
  const heic = REAL_MEDIA && readFileSync(join(REAL_MEDIA, 'iphone-xr/IMG_3604.HEIC'));
  // Trailing bytes make every file another one.
  const other = (bytes: Uint8Array) => Buffer.concat([bytes, randomBytes(16)]);
  files = [
    { name: 'photo.jpg', make: () => withComment(jpeg) },
    { name: 'bitmap.bmp', make: () => other(bmp) },
    { name: 'film.mov', make: () => other(mov) },
    ...(heic ? [{ name: 'phone.heic', make: () => other(heic) }] : []),
  ];
}, TIMEOUT_MS);
afterAll(() => rm(folder, { recursive: true, force: true }));

function withComment(jpeg: Buffer): Buffer {
  const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, 18]), randomBytes(16)]);
  return Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2)]);
}

async function addFiles(server: RunningServer, names: readonly string[]): Promise<void> {
  const { apiKey } = await signUp(server.url);
  for (const name of names) {
    const bytes = files.find((file) => file.name === name)!.make();
    const reply = await fetch(`${server.url}/api/assets`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': FORM_TYPE },
      body: createForm([...DATES, filePart(bytes, name)]) as Uint8Array<ArrayBuffer>,
    });
    expect(reply.status).toBe(201);
  }
}

async function countProgress(server: Pick<RunningServer, 'databaseUrl'>) {
  const { sql } = openDatabase(server.databaseUrl, { max: 1 });
  const [row] = await sql<{ all: number; shown: number; read: number; broken: string[] }[]>`
    select count(*)::int as all, count(thumbhash)::int as shown,
      count(exif.asset_id)::int as read,
      array_remove(array_agg(broken_reason), null) as broken
    from asset left join asset_exif exif on exif.asset_id = asset.id
      and asset.metadata_read_at is not null`;
  const [jobs] = await sql<{ left: number }[]>`
    select count(*)::int as left from job where lane <> 'inference' and state <> 'waiting'
      or name in ('assets.renderImage', 'assets.renderVideo', 'assets.transcodeVideo')`;
  await sql.end();
  return { ...row!, left: jobs!.left };
}

const isDone = async (server: RunningServer) => {
  const { all, shown, read, left } = await countProgress(server);
  return all === shown && all === read && left === 0;
};

test.each(['SIGINT', 'SIGTERM'] as const)(
  'a %s to the whole process group during ingest marks no file broken',
  async (signal) => {
    const server = await startServer('--media-concurrency=2');
    try {
      const all = Array.from({ length: 16 }, (_, index) => files[index % files.length]!.name);
      await addFiles(server, all);
      await until('the first pictures', async () => (await countProgress(server)).shown > 2);
      // As a terminal does it, and systemd.
      process.kill(-server.process.pid, signal);
      await server.process.exited;
      expect((await countProgress(server)).broken).toEqual([]);
      expect((await countProgress(server)).shown).toBeLessThan(all.length);

      const next = await startAgain(server);
      await until('all files', () => isDone(next), 300);
      expect(await countProgress(server)).toMatchObject({ shown: all.length, broken: [] });
      await next.stop();
    } finally {
      await server.stop();
    }
  },
  TIMEOUT_MS,
);

/** Returns the first descendant of the server whose command line contains the words. */
const findChild = (server: RunningServer, words: string): number | undefined =>
  listProcessTree(server.process.pid).find((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(words);
    } catch {
      return false;
    }
  });

const TRANSCODER = 'ffmpeg -nostdin -y -v error -progress';

test(
  'a server that stops answers requests while it waits for a job',
  async () => {
    const server = await startServer();
    try {
      await addFiles(server, ['film.mov']);
      const ffmpeg = await until('ffmpeg', async () => findChild(server, TRANSCODER));
      process.kill(ffmpeg, 'SIGSTOP');
      server.process.kill('SIGTERM');
      await until('the stop', async () => server.log.some((line) => line.includes('"stopping"')));
      // On new connections: those that are open are served a little longer anyway.
      const ping = () => fetch(`${server.url}/api/server/ping`, { keepalive: false });
      for (const from = performance.now(); performance.now() - from < 2000;)
        expect((await ping()).status).toBe(200);
      process.kill(ffmpeg, 'SIGCONT');
      expect(await server.process.exited).toBe(0);
    } finally {
      await server.stop();
    }
  },
  TIMEOUT_MS,
);

// At the same time, each with a server of its own: they wait for what is suspended.
test.concurrent.each([
  ['the decoder of pictures', 'photo.jpg', 'image-worker'],
  ['ffmpeg', 'film.mov', TRANSCODER],
  ['exiftool', 'bitmap.bmp', 'exiftool -config'],
] as const)(
  '%s is replaced when it is suspended, and its job completes',
  async (_, name, words) => {
    const server = await startServer('--media-concurrency=2');
    try {
      const adding = addFiles(server, [name, name, name, name]);
      const stopped = await until(`a process "${words}"`, async () => findChild(server, words));
      process.kill(stopped, 'SIGSTOP');
      await adding;
      await until('its end', async () => !listProcessTree(server.process.pid).includes(stopped));
      await until('all files', () => isDone(server), 300);
      expect((await countProgress(server)).broken).toEqual([]);
    } finally {
      await server.stop();
    }
  },
  TIMEOUT_MS,
);
