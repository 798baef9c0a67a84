import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import sharp from 'sharp';
import { crc32 } from 'node:zlib';
import { makeClip } from '../../../../test/fixtures/clips.ts';
import { createNoise, H264, TONE } from '../../../../test/fixtures/index.ts';
import { createSeededRandom, effort } from '../../../../test/support/effort.ts';
import { runEffect } from '../../../../test/support/films.ts';
import { call, seed, send, testApp, type TestUser } from '../../../../test/support/harness.ts';
import { addFile, jobCtx, openMediaLibrary } from '../../../../test/support/processing.ts';
import { getAssetRow } from '../../../../test/support/rows.ts';
import { sample } from '../../../../test/support/sample.ts';
import { MEDIA, skipWithout } from '../../../../test/support/requirements.ts';
import type { App } from '../../../app.ts';
import { handleRenderImage, handleRenderVideo } from './thumbnails.handlers.ts';

let library: Awaited<ReturnType<typeof openMediaLibrary>>;
let app: App;
let me: TestUser;
beforeAll(async () => {
  library = await openMediaLibrary();
  app = testApp(library.database);
});
afterAll(() => library.close());
beforeEach(async () => {
  me = await seed(library.database).user();
});

const random = createSeededRandom('damage');
const NOISE = createNoise('damage', 600 * 400 * 3);
const noise = () => sharp(NOISE, { raw: { width: 600, height: 400, channels: 3 } });

const add = (name: string, bytes: Uint8Array) =>
  addFile(library.database, { name, bytes }, { ownerId: me.id });
async function render(id: string): Promise<void> {
  const ctx = jobCtx(library.database);
  const isImage = (await getRow(id)).type === 'IMAGE';
  const handle = isImage ? handleRenderImage : handleRenderVideo;
  await runEffect(library.database, handle(ctx, { assetId: id }));
}
const getRow = (id: string) => getAssetRow(library.database, id);

/** 'whole', 'damaged' or 'broken', after rendering; what is shown has a thumbnail. */
async function judge(name: string, bytes: Uint8Array): Promise<string> {
  const id = await add(name, bytes);
  await render(id);
  const row = await getRow(id);
  const { status } = await send(app, `GET /assets/${id}/thumbnail`, { as: me });
  expect(status).toBe(row.broken_reason || row.type === 'AUDIO' ? 404 : 200);
  if (row.damage) expect(row.damage).not.toContain('/');
  const found = await listDamaged();
  expect(found.includes(id)).toBe(row.damage !== null);
  if (row.broken_reason) return 'broken';
  return row.damage ? 'damaged' : 'whole';
}

async function listDamaged(as: TestUser = me): Promise<string[]> {
  const { body } = await call(app, 'POST /search/metadata', { as, body: { isDamaged: true } });
  return body.assets.items.map(({ id }: { id: string }) => id);
}

/** A PNG with a changed byte in the first chunk of this type. */
async function withBadChunk(type: string): Promise<Buffer> {
  const made = await noise().png().toBuffer();
  const text = Buffer.from('\0\0\0\x08tEXtTitle\0ok', 'latin1');
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(text.subarray(4)));
  const bytes = Buffer.concat([made.subarray(0, 33), text, check, made.subarray(33)]);
  const at = bytes.indexOf(type) + 4 + (type === 'IDAT' ? 4000 : 6);
  bytes[at]! ^= 0x55;
  return bytes;
}

/** Returns places within the headers between the scans of a JPEG: all of them, or the second. */
function listCutHeaders(whole: Buffer): number[] {
  const headers = [...whole.keys()].filter(
    (at) => whole[at] === 0xff && [0xc4, 0xda].includes(whole[at + 1]!),
  );
  const between = headers.slice(headers.findIndex((at) => whole[at + 1] === 0xda) + 1);
  return between
    .slice(0, effort({ quick: 1, full: between.length }))
    .flatMap((at) => [at + 2, at + 3, at + 4, at + 9]);
}

describe('a photo that is cut off', () => {
  test('is marked wherever it ends within its picture', async () => {
    for (const progressive of [false, true]) {
      const whole = await noise().jpeg({ progressive }).toBuffer();
      const start = whole.indexOf(Buffer.from([0xff, 0xda])) + 100;
      const cuts = Array.from(
        { length: effort({ quick: 2, full: 60 }) },
        () => start + random.below(whole.length - start - 3),
      );
      const headers = progressive ? listCutHeaders(whole) : [];
      // The same bytes twice would be a duplicate.
      for (const end of new Set([...cuts, ...headers, whole.length - 4])) {
        const verdict = await judge('torn.jpg', whole.subarray(0, end));
        expect([progressive, end, verdict]).toEqual([progressive, end, 'damaged']);
      }
      for (const end of [whole.length - 2, whole.length - 1, whole.length]) {
        const verdict = await judge('ends.jpg', whole.subarray(0, end));
        expect([progressive, end - whole.length, verdict]).toEqual([
          progressive,
          end - whole.length,
          'whole',
        ]);
      }
    }
  });

  test('is broken where nothing of it is left', async () => {
    const whole = await noise().jpeg().toBuffer();
    expect(await judge('head.jpg', whole.subarray(0, 200))).toBe('broken');
  });

  test('as a PNG is marked for missing pixels, not for a missing end', async () => {
    const whole = await noise().png().toBuffer();
    expect(await judge('cut.png', whole.subarray(0, whole.length / 2))).toBe('damaged');
    expect(await judge('end.png', whole.subarray(0, -12))).toBe('whole');
  });

  skipWithout('media').test('from a camera is marked likewise', async () => {
    const names = ['iphone-xr/IMG_3580.JPG', 'cameras/GOPR8511.JPG', 'iphone-13-pro/IMG_8567.JPG'];
    for (const name of names) {
      const whole = Buffer.from(await Bun.file(join(MEDIA!, name)).bytes());
      expect([name, await judge('whole.jpg', whole)]).toEqual([name, 'whole']);
      for (const share of sample(`camera ${name}`, [0.3, 0.6, 0.9], 1)) {
        const verdict = await judge('cut.jpg', whole.subarray(0, whole.length * share));
        expect([name, share, verdict]).toEqual([name, share, 'damaged']);
      }
    }
  });
});

test('a PNG is marked for a wrong checksum of its pixels, not of a comment', async () => {
  expect(await judge('pixels.png', await withBadChunk('IDAT'))).toBe('damaged');
  expect(await judge('comment.png', await withBadChunk('tEXt'))).toBe('whole');
});

describe('a video that is cut off', () => {
  const make = async (name: string, ...more: string[]) => {
    const picture = ['-f', 'lavfi', '-i', 'testsrc=size=320x180:rate=10:duration=6'];
    const sound = [...TONE.slice(0, 3), 'sine=duration=6'];
    const coding = [...H264, '-g', '10', '-c:a', 'aac', ...more];
    const path = makeClip(join(library.folder, name), [...picture, ...sound, ...coding]);
    return Buffer.from(await Bun.file(path).bytes());
  };

  test('is marked when it plays to where it ends', async () => {
    const made: [string, Buffer][] = [
      ['front.mp4', await make('front.mp4', '-movflags', '+faststart')],
      ['parts.mp4', await make('parts.mp4', '-movflags', 'frag_keyframe+empty_moov')],
      ['film.mkv', await make('film.mkv')],
    ];
    for (const [name, whole] of made) {
      expect([name, await judge(name, whole)]).toEqual([name, 'whole']);
      for (const share of sample(`cut ${name}`, [0.4, 0.7, 0.95], 1)) {
        const verdict = await judge(name, whole.subarray(0, whole.length * share));
        expect([name, share, verdict]).toEqual([name, share, 'damaged']);
      }
    }
  });

  test('has no playback when no frame can be found', async () => {
    const whole = await make('back.mp4');
    expect(await judge('back.mp4', whole)).toBe('whole');
    for (const share of sample('cut back.mp4', [0.1, 0.5, 0.9], 1)) {
      const id = await add('cut.mp4', whole.subarray(0, whole.length * share));
      await render(id);
      expect((await getRow(id)).broken_reason).toStartWith('broken: ');
      expect((await send(app, `GET /assets/${id}/video/playback`, { as: me })).status).toBe(404);
      // The file itself stays there to be downloaded.
      expect((await send(app, `GET /assets/${id}/original`, { as: me })).status).toBe(200);
    }
  });

  skipWithout('media').test('from a camera is whole, or broken without its end', async () => {
    const bytes = Buffer.from(await Bun.file(join(MEDIA!, 'iphone-xr/IMG_3589.mov')).bytes());
    expect(await judge('clip.mov', bytes)).toBe('whole');
    expect(await judge('clip.mov', bytes.subarray(0, bytes.length / 2))).toBe('broken');
  });
});

test('sound that is cut off is marked', async () => {
  const coding = ['-f', 'lavfi', '-i', 'sine=duration=8', '-c:a', 'aac', '-movflags', '+faststart'];
  const whole = await Bun.file(makeClip(join(library.folder, 'memo.m4a'), coding)).bytes();
  expect(await judge('memo.m4a', whole)).toBe('whole');
  expect(await judge('memo.m4a', whole.subarray(0, whole.length / 2))).toBe('damaged');
});

describe('the mark', () => {
  test('goes when the item gets a whole file, and stays when it is rendered again', async () => {
    const whole = await noise().jpeg().toBuffer();
    const id = await add('photo.jpg', whole.subarray(0, whole.length / 2));
    await render(id);
    await render(id);
    expect(await listDamaged()).toEqual([id]);
    const other = await add('other.jpg', whole);
    await library.database.sql`
      update asset set is_copy = true, sha1 = source.sha1, sha256 = source.sha256
      from (select sha1, sha256 from asset where id = ${other}) source where id = ${id}`;
    await render(id);
    expect(await listDamaged()).toEqual([]);
    expect((await getRow(id)).damage).toBeNull();
  });

  test('is left as it is when a job is ended', async () => {
    const whole = await noise().jpeg().toBuffer();
    const id = await add('photo.jpg', whole);
    const ended = jobCtx(library.database, { signal: AbortSignal.abort(new Error('stopped')) });
    await expect(handleRenderImage(ended, { assetId: id })).rejects.toThrow('stopped');
    expect(await getRow(id)).toMatchObject({ damage: null, broken_reason: null });
  });

  test('is not told to a stranger', async () => {
    const whole = await noise().jpeg().toBuffer();
    await render(await add('photo.jpg', whole.subarray(0, whole.length / 2)));
    expect(await listDamaged(await seed(library.database).user())).toEqual([]);
  });
});
