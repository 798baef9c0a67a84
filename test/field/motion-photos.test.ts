import { createHash } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { useApp } from '../support/database.ts';
import {
  box,
  heicWith,
  huaweiTail,
  jpegWith,
  motionClip,
  motionItem,
  motionXmp,
  picture,
  PRIMARY,
  samsungTrailer,
} from '../support/field-motion.ts';
import { filePart, photoForm, upload } from '../support/forms.ts';
import { call, seed, type TestUser } from '../support/harness.ts';
import { metadataTools } from '../support/metadata.ts';

// Photos with a clip inside, of each maker: README.md has the public threads.

const warnings: object[] = [];
const { database, app } = await useApp();
const folder = mkdtempSync(join(tmpdir(), 'safelight-motion-'));
const { read, getAssetRow } = metadataTools(() => ({ database, folder }));
let me: TestUser;
beforeAll(async () => {
  me = await seed(database).user();
  const log: typeof database.deps.log = {
    ...database.deps.log,
    warn: (message, fields) => void warnings.push({ message, ...fields }),
    with: () => log,
  };
  Object.assign(database.deps, { log });
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function add(bytes: Uint8Array, name = 'PXL_1.MP.jpg', as = me): Promise<string> {
  const { status, body } = await upload(app, photoForm(bytes, [], name), { as });
  expect([status, body]).toMatchObject([201, {}]);
  await read(body.id);
  return body.id;
}

/** The digest of the clip that a photo has got. */
async function findClip(stillId: string): Promise<string | null> {
  const { live_video_id: id } = await getAssetRow(stillId);
  if (id === null) return null;
  const video = await getAssetRow(id);
  expect(video).toMatchObject({ type: 'VIDEO', visibility: 'hidden' });
  return Buffer.from(video.sha256).toString('hex');
}

const MOTION = 'GCamera:MotionPhoto="1" GCamera:MotionPhotoVersion="1"';
const GAIN_MAP = await picture();
const gainMap = { semantic: 'GainMap', length: GAIN_MAP.length };
let made = 0;
const nextClip = (extension?: 'mov') => motionClip(folder, made++, extension);

/** Their names are of no importance to the server, except that of a HEIC. */
type Case = [title: string, hasClip: boolean, make: (clip: Buffer) => Promise<Buffer>];

const CASES: Case[] = [
  [
    '250a: a container that names the picture and the gain map only, before a trailer of Samsung',
    true,
    (clip) =>
      jpegWith(
        motionXmp(MOTION, [PRIMARY, gainMap]),
        GAIN_MAP,
        clip,
        samsungTrailer([0x0a01, 'Image_UTC_Data', Buffer.from('1700000000000')]),
      ),
  ],
  [
    '250b: the same without a trailer',
    true,
    (clip) => jpegWith(motionXmp(MOTION, [PRIMARY, gainMap]), GAIN_MAP, clip),
  ],
  ['251: a motion photo without a container', true, (clip) => jpegWith(motionXmp(MOTION), clip)],
  [
    '252: bytes behind the clip',
    true,
    (clip) =>
      jpegWith(motionXmp(MOTION, [PRIMARY, motionItem(clip.length)]), clip, Buffer.alloc(64)),
  ],
  [
    '253: a trailer of Samsung behind a HEIC of Apple',
    true,
    async (clip) =>
      Buffer.concat([await heicWith(folder), samsungTrailer([0x0a30, 'MotionPhoto_Data', clip])]),
  ],
  [
    '254: the last line of a phone of Huawei',
    true,
    async (clip) => Buffer.concat([await picture(), clip, huaweiTail(clip.length)]),
  ],
  [
    '255: a gain map in front of the clip, as phones of Xiaomi and OPPO write',
    true,
    (clip) =>
      jpegWith(
        motionXmp(
          `${MOTION} OpCamera:OLivePhotoVersion="2" OpCamera:VideoLength="${clip.length}"`,
          [{ ...PRIMARY, length: 0, padding: 0 }, gainMap, motionItem(clip.length)],
        ),
        GAIN_MAP,
        clip,
      ),
  ],
  [
    '256: an offset that is larger than the file',
    true,
    (clip) =>
      jpegWith(motionXmp(`GCamera:MicroVideo="1" GCamera:MicroVideoOffset="99999999"`), clip),
  ],
  [
    '257: a micro video without an offset',
    true,
    (clip) => jpegWith(motionXmp('GCamera:MicroVideo="1" GCamera:MicroVideoVersion="1"'), clip),
  ],
  [
    '258: a part that only begins like a video in front of the clip',
    true,
    (clip) =>
      jpegWith(
        motionXmp(MOTION, [PRIMARY]),
        box('ftyp', Buffer.from('isom\0\0\0\0isom')),
        box('mdat', Buffer.alloc(300, 7)),
        clip,
      ),
  ],
  [
    '259: two videos one after another: that which the container names',
    true,
    (clip) => jpegWith(motionXmp(MOTION, [PRIMARY, motionItem(clip.length)]), nextClip(), clip),
  ],
  [
    '260: a box in a HEIC, the length of which covers the trailer as well',
    true,
    async (clip) => {
      const trailer = box('sefd', samsungTrailer([0x0a01, 'Image_UTC_Data', Buffer.from('17')]));
      const xmp = motionXmp(MOTION, [
        { ...PRIMARY, mime: 'image/heic', padding: 8 },
        motionItem(clip.length + trailer.length, trailer.length),
      ]);
      return Buffer.concat([await heicWith(folder, xmp), box('mpvd', clip), trailer]);
    },
  ],
  [
    '261: a directory whose motion flag was lost',
    true,
    (clip) => jpegWith(motionXmp('', [PRIMARY, motionItem(clip.length)]), clip),
  ],
  [
    '262: a photo whose motion the owner has switched off',
    false,
    (clip) =>
      jpegWith(motionXmp('GCamera:MotionPhoto="0"', [PRIMARY, motionItem(clip.length)]), clip),
  ],
  [
    '263: a still that was cut out of a motion photo',
    false,
    () => jpegWith(motionXmp(MOTION, [PRIMARY, motionItem(4_000_000)])),
  ],
  [
    '264: a clip that was cut in the middle',
    false,
    (clip) =>
      jpegWith(
        motionXmp(MOTION, [PRIMARY, motionItem(clip.length)]),
        clip.subarray(0, Math.floor(clip.length / 2)),
      ),
  ],
  [
    '265: a picture of the family of MP4 behind the picture',
    false,
    async () => jpegWith(motionXmp(MOTION, [PRIMARY]), await heicWith(folder)),
  ],
  [
    '266: a gain map without a clip',
    false,
    () => jpegWith(motionXmp('', [PRIMARY, gainMap]), GAIN_MAP),
  ],
  [
    '267: a trailer of Samsung without a video',
    false,
    async () =>
      Buffer.concat([
        await picture(),
        samsungTrailer([0x0a01, 'Image_UTC_Data', Buffer.from('1700000000000')]),
      ]),
  ],
  [
    '268: a trailer of Samsung with the video, and no XMP',
    true,
    async (clip) =>
      Buffer.concat([await picture(), samsungTrailer([0x0a30, 'MotionPhoto_Data', clip])]),
  ],
  [
    '269: a clip in QuickTime',
    true,
    (clip) => jpegWith(motionXmp(MOTION, [PRIMARY, motionItem(clip.length)]), clip),
  ],
];

test.each(CASES)('%s', async (title, hasClip, make) => {
  const clip = nextClip(title.includes('QuickTime') ? 'mov' : undefined);
  const name = title.includes('HEIC') ? 'IMG_1.HEIC' : 'PXL_1.MP.jpg';
  expect(await findClip(await add(await make(clip), name))).toBe(hasClip ? hash(clip) : null);
});

test('270: two photos with one clip have it both, each its own', async () => {
  const clip = nextClip();
  const xmp = motionXmp(MOTION, [PRIMARY, motionItem(clip.length)]);
  const stills = [await add(await jpegWith(xmp, clip)), await add(await jpegWith(xmp, clip))];
  for (const still of stills) expect(await findClip(still)).toBe(hash(clip));
  const [first, second] = stills as [string, string];
  const videos = await Promise.all(
    stills.map(async (id) => (await getAssetRow(id)).live_video_id!),
  );
  expect(new Set(videos).size).toBe(2);
  await call(app, 'DELETE /assets', { as: me, body: { ids: [first], force: true } });
  expect(await findClip(second)).toBe(hash(clip));
  await call(app, 'PUT /assets', { as: me, body: { ids: [second], visibility: 'locked' } });
  expect((await getAssetRow(videos[1]!)).locked_at).not.toBeNull();
});

test('271: what a photo says and does not have is one line in the log', async () => {
  warnings.length = 0;
  const still = await add(await jpegWith(motionXmp(MOTION, [PRIMARY, gainMap]), GAIN_MAP));
  await add(await jpegWith(motionXmp('', [PRIMARY, gainMap]), GAIN_MAP));
  expect(warnings).toMatchObject([{ message: 'motion video extraction failed', assetId: still }]);
});

test('272: a clip that the owner has as a video of its own stays one', async () => {
  const clip = nextClip();
  const video = await add(clip, 'PXL_2.MP4');
  const xmp = motionXmp(MOTION, [PRIMARY, motionItem(clip.length)]);
  const still = await add(await jpegWith(xmp, clip));
  expect(await findClip(still)).toBeNull();
  expect(await getAssetRow(video)).toMatchObject({ visibility: 'timeline' });
});

test('273: a sidecar of the photo before its clip was cut off promises nothing', async () => {
  const clip = nextClip();
  warnings.length = 0;
  const sidecar = Buffer.from(motionXmp(MOTION, [PRIMARY, motionItem(clip.length)]));
  const parts = [{ ...filePart(sidecar, 'a.jpg.xmp'), name: 'sidecarData' }];
  const { body } = await upload(app, photoForm(await picture(), parts, 'a.jpg'), {
    as: me,
  });
  await read(body.id);
  expect(await findClip(body.id)).toBeNull();
  expect(warnings).toEqual([]);
});
