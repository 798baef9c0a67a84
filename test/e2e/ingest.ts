import { expect } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listProcessTree } from '../../src/core/process-memory.ts';
import { openDatabase } from '../../src/db/client.ts';
import { makeClip } from '../fixtures/clips.ts';
import { cacheFixture } from '../fixtures/fixture-cache.ts';
import { photoLikeJpeg, run } from '../fixtures/index.ts';
import { createForm, DATES, filePart, FORM_TYPE } from '../support/forms.ts';
import { readCommandLine } from '../support/processes.ts';
import { type RunningServer, signUp, until } from './server.ts';

// Files whose processing takes a while, and how far a server has come with them.

/** Each has content of its own. */
export type SlowFile = { readonly name: string; readonly make: () => Uint8Array };

/** One of each kind of decoder. */
export async function makeSlowFiles(): Promise<SlowFile[]> {
  const folder = await mkdtemp(join(tmpdir(), 'safelight-slow-files-'));
  try {
    const pattern = (size: string, seconds: number) => [
      '-f',
      'lavfi',
      '-i',
      `testsrc2=size=${size}:rate=25:duration=${seconds}`,
    ];
    const bitmap = [...pattern('2000x1500', 0.04), '-frames:v', '1'];
    const bmp = readFileSync(makeClip(join(folder, 'a.bmp'), bitmap));
    // No browser plays it: it is transcoded, which takes a while.
    const film = [...pattern('640x360', 3), '-c:v', 'mpeg4', '-q:v', '3'];
    const mov = readFileSync(makeClip(join(folder, 'a.mov'), film));
    const jpeg = await photoLikeJpeg(2016, 1512);
    const heic = readFileSync(await makeHeic(join(folder, 'a.heic'), jpeg));
    return [
      { name: 'photo.jpg', make: () => withComment(jpeg) },
      { name: 'bitmap.bmp', make: () => withTrailer(bmp) },
      { name: 'film.mov', make: () => withTrailer(mov) },
      { name: 'phone.heic', make: () => withTrailer(heic) },
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
}

const makeHeic = (path: string, jpeg: Buffer): Promise<string> =>
  cacheFixture(path, ['heif-enc', jpeg], async (draft) => {
    await Bun.write(`${path}.jpg`, jpeg);
    run('heif-enc', '--quality', '50', '--output', draft, `${path}.jpg`);
  });

const withTrailer = (bytes: Uint8Array): Buffer => Buffer.concat([bytes, randomBytes(16)]);

function withComment(jpeg: Buffer): Buffer {
  const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, 18]), randomBytes(16)]);
  return Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2)]);
}

/** Creates the first account of the server, and uploads the files to it. */
export async function uploadAll(url: string, files: readonly SlowFile[]): Promise<void> {
  const { apiKey } = await signUp(url);
  await uploadFiles(url, apiKey, files);
}

/** Uploads the files one after the other. */
export async function uploadFiles(
  url: string,
  apiKey: string,
  files: readonly SlowFile[],
): Promise<void> {
  for (const { name, make } of files) {
    const reply = await fetch(`${url}/api/assets`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': FORM_TYPE },
      body: createForm([...DATES, filePart(make(), name)]) as Uint8Array<ArrayBuffer>,
    });
    expect(reply.status).toBe(201);
  }
}

/** Reads the state of the files in the database, over one connection. */
export function openProgress({ databaseUrl }: Pick<RunningServer, 'databaseUrl'>) {
  const { sql } = openDatabase(databaseUrl, { max: 1 });
  async function count() {
    const [row] = await sql<{ all: number; shown: number; read: number; broken: string[] }[]>`
      select count(*)::int as all, count(thumbhash)::int as shown,
        count(exif.asset_id)::int as read,
        array_remove(array_agg(broken_reason), null) as broken
      from asset left join asset_exif exif on exif.asset_id = asset.id
        and asset.metadata_read_at is not null`;
    const [jobs] = await sql<{ left: number }[]>`
      select count(*)::int as left from job where lane <> 'inference' and state <> 'waiting'
        or name in ('assets.renderImage', 'assets.renderVideo', 'assets.transcodeVideo')`;
    return { ...row!, left: jobs!.left };
  }
  const isDone = async () => {
    const { all, shown, read, left } = await count();
    return all === shown && all === read && left === 0;
  };
  /** Waits until all files are processed. The error tells what is left. */
  async function untilDone(): Promise<void> {
    await until('all files', isDone).catch(async (error: Error) => {
      const jobs = await sql`
        select name, state, failures, faults, last_error, (run_at - now())::text as due, worker
        from job where lane <> 'inference'`;
      const left = JSON.stringify({ ...(await count()), jobs });
      throw new Error(`${error.message}, but ${left}`, { cause: error });
    });
  }
  const countFailed = async (): Promise<number> =>
    (await sql`select 1 from job where state = 'failed'`).length;
  return { count, countFailed, isDone, untilDone, close: () => sql.end() };
}

/** Words of the command line of ffmpeg when it transcodes. */
export const TRANSCODER = 'ffmpeg -nostdin -y -v error -progress';

/** Returns the first descendant of the server whose command line contains the words. */
export const findChild = (server: RunningServer, words: string): number | undefined =>
  listProcessTree(server.process.pid).find((pid) =>
    readCommandLine(pid).replaceAll('\0', ' ').includes(words),
  );
