import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { App } from '../../app.ts';
import { makeClip } from '../../../test/fixtures/clips.ts';
import {
  createCtx,
  createSession,
  seed,
  type TestDatabase,
  testApp,
  testDatabase,
  type TestUser,
} from '../../../test/support/harness.ts';
import { effort } from '../../../test/support/effort.ts';
import { addLibrary, makeFolder, scan } from '../../../test/support/libraries.ts';
import { setUpListeners } from '../../../test/support/listener.ts';
import { startSwapping } from '../../../test/support/path-swapper.ts';
import { jobCtx } from '../../../test/support/processing.ts';
import { toHex } from '../../core/hash.ts';
import type { Effect } from '../../jobs/define.ts';
import { probe } from '../../media/probe.ts';
import { handleReadMetadata } from '../assets/exif/exif.handlers.ts';
import { findOriginal } from '../assets/index.ts';
import { handleRenderImage } from '../assets/processing/thumbnails.handlers.ts';
import { findCopy } from '../integrity/index.ts';
import { copySidecar, createCompanionFinder } from './intake/companions.ts';
import { readExternalFile } from './intake/read-file.ts';
import { walkFolder } from './scan/walk.ts';

// Somebody who may write to the folder of a library swaps its photos, or their folder, for links to files of
// others, thousands of times a second, while the server reads them in all its ways.

setDefaultTimeout(300_000);

let database: TestDatabase;
let app: App;
let admin: TestUser;
let me: TestUser;
let folder: string;
let secrets: string;
const { listen } = setUpListeners();
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
  admin = await seed(database).user(['all'], { isAdmin: true });
});
afterAll(async () => {
  await database.close();
});
beforeEach(async () => {
  me = await seed(database).user();
  [folder, secrets] = [await makeFolder(), await makeFolder()];
});

const BYTES = 400_000;
const RED = { r: 255, g: 0, b: 0 };
const BLUE = { r: 0, g: 0, b: 255 };

/** A photo, a video, and what is told about them; every part of it says `word`. */
async function writeAlbum(path: string, word: string, background: typeof RED): Promise<void> {
  await mkdir(path, { recursive: true });
  const photo = await sharp({ create: { width: 64, height: 48, channels: 3, background } })
    .withExif({ IFD0: { ImageDescription: word } })
    .jpeg()
    .toBuffer();
  const padding = Buffer.alloc(BYTES - photo.length, word);
  await writeFile(join(path, 'a.jpg'), Buffer.concat([photo, padding]));
  const tone = `color=${word === 'secret' ? 'red' : 'blue'}:size=${word === 'secret' ? 64 : 96}x64`;
  makeClip(join(path, 'v.mp4'), ['-f', 'lavfi', '-i', tone, '-frames:v', '3', '-g', '1']);
  await writeFile(join(path, 'a.jpg.xmp'), `<x:xmpmeta>${word.padEnd(6)}</x:xmpmeta>`);
  const json = { photoTakenTime: { timestamp: '1500000000' }, description: word };
  await writeFile(join(path, 'v.mp4.json'), JSON.stringify(json));
  if (word === 'secret') await writeFile(join(path, 'secret.jpg'), 'secret');
}

const run = async (work: Promise<Effect | void>): Promise<void> => {
  const effect = await work;
  if (effect) await database.db.transaction(async (tx) => void (await effect(tx)));
};
const findItem = async (fileName: string): Promise<string> =>
  (
    await database.sql`
      select id from asset where owner_id = ${me.id} and file_name = ${fileName}`
  )[0]!['id'];
const hash = async (path: string) =>
  new Bun.CryptoHasher('sha256').update(await readFile(path)).digest('hex');

type Word = 'mine' | 'secret';
type Reader = {
  /** Share of the rounds in which it reads. */
  readonly share: number;
  /** Returns the word of what it has read, if that was anything. */
  readonly read: () => Promise<Word | undefined>;
};

const toWord = (isMine: boolean, isForeign: boolean): Word | undefined =>
  isForeign ? 'secret' : isMine ? 'mine' : undefined;

/** Ways in which clients read. */
async function createServedReaders(photo: string): Promise<Record<string, Reader>> {
  const { port } = await listen((request) => app.fetch(request));
  const get = async (path: string, init: RequestInit = {}): Promise<Word | undefined> => {
    const headers = { 'x-api-key': me.key, ...(init.headers as Record<string, string>) };
    const answer = await fetch(`http://127.0.0.1:${port}/api${path}`, { ...init, headers });
    const text = Buffer.from(await answer.bytes()).toString('latin1');
    return toWord(text.includes('minemine'), text.includes('secretsecret'));
  };
  const original = `/assets/${photo}/original`;
  const range = (value: string) => ({ headers: { range: `bytes=${value}` } });
  const archive = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ assetIds: [photo] }),
  };
  return {
    original: { share: 1, read: () => get(original) },
    range: { share: 1, read: () => get(original, range('200000-200999')) },
    ranges: { share: 1, read: () => get(original, range('0-99, 200000-200999')) },
    zip: { share: 1, read: () => get('/download/archive', archive) },
  };
}

/** Ways in which scans and checks read. */
async function createFileReaders(album: string): Promise<Record<string, Reader>> {
  const words = new Map<string, Word>();
  for (const name of ['a.jpg', 'a.jpg.xmp']) {
    words.set(await hash(join(album, name)), 'mine');
    words.set(await hash(join(secrets, name)), 'secret');
  }
  const original = { sha256: Buffer.from(await hash(join(album, 'a.jpg')), 'hex'), size: BYTES };
  const deps = createCtx(database, createSession(me.id));
  const { signal } = new AbortController();
  return {
    hashing: {
      share: 1,
      read: async () =>
        words.get(toHex((await readExternalFile(join(album, 'a.jpg'), signal)).sha256)),
    },
    sidecar: {
      share: 1,
      async read() {
        const copy = await copySidecar(deps, join(album, 'a.jpg.xmp'));
        await copy?.file.discard();
        return copy && words.get(toHex(copy.digests.sha256));
      },
    },
    facts: {
      share: 1,
      read: async () =>
        (await createCompanionFinder([])(join(album, 'v.mp4'))).facts.description as
          Word | undefined,
    },
    copies: {
      share: 1,
      read: async () => ((await findCopy(deps, original)) ? 'mine' : undefined),
    },
    scan: {
      share: 0.2,
      async read() {
        const options = { exclusionPatterns: [], signal };
        const files = (await Array.fromAsync(walkFolder(album, 100, options))).flat();
        const has = (name: string) => files.some(({ path }) => path === join(album, name));
        return toWord(has('a.jpg'), has('secret.jpg'));
      },
    },
  };
}

/** Ways in which the tools of jobs read. */
function createToolReaders(photo: string, video: string): Record<string, Reader> {
  return {
    probe: {
      share: 0.2,
      async read() {
        const [row] = await database.sql`select sha256 from asset where id = ${video}`;
        const found = await findOriginal(database.deps, row!['sha256']);
        const width = found && (await probe(found.path)).video?.width;
        return toWord(width === 96, width === 64);
      },
    },
    metadata: {
      share: 0.2,
      async read() {
        await run(handleReadMetadata(jobCtx(database), { assetId: photo }));
        const [row] = await database.sql`
          select description from asset_exif where asset_id = ${photo}`;
        return row!['description'];
      },
    },
    thumbnail: {
      share: 0.2,
      async read() {
        await run(handleRenderImage(jobCtx(database), { assetId: photo }));
        const [row] = await database.sql`
          select name from asset_file where asset_id = ${photo} and kind = 'thumbnail'`;
        const picture = join(database.deps.paths.derived, row!['name']);
        const { dominant } = await sharp(await readFile(picture)).stats();
        return toWord(dominant.b > dominant.r, dominant.r > dominant.b);
      },
    },
  };
}

test.each([
  ['its photo', 'album/a.jpg', 'a.jpg'],
  ['its sidecar', 'album/a.jpg.xmp', 'a.jpg.xmp'],
  ['its video', 'album/v.mp4', 'v.mp4'],
  ['its folder', 'album', '.'],
] as const)('nothing foreign is read of a library while %s becomes a link', async (_, at, to) => {
  const album = join(folder, 'album');
  await writeAlbum(album, 'mine', BLUE);
  await writeAlbum(secrets, 'secret', RED);
  const id = await addLibrary(app, admin, me.id, [folder]);
  await scan(database, app, admin, id);
  const [photo, video] = [await findItem('a.jpg'), await findItem('v.mp4')];
  const readers = {
    ...(await createServedReaders(photo)),
    ...(await createFileReaders(album)),
    ...createToolReaders(photo, video),
  };
  for (const [name, { read }] of Object.entries(readers)) {
    expect([name, await read()]).toEqual([name, 'mine']);
  }
  const swapper = startSwapping(join(folder, at), join(secrets, to));
  const words = new Map<Word | undefined, number>();
  try {
    for (const { share, read } of Object.values(readers)) {
      const rounds = effort({ quick: 20, full: 600 }) * share;
      for (let round = 0; round < rounds; round += 1) {
        const word = await read().catch(() => undefined);
        words.set(word, (words.get(word) ?? 0) + 1);
      }
    }
  } finally {
    expect(await swapper.stop()).toBeGreaterThan(100);
  }
  expect(words.get('secret') ?? 0).toBe(0);
  expect(words.get('mine') ?? 0).toBeGreaterThan(10);
});
