import { expect, test } from 'bun:test';
import { handleRenderEdits } from '../../src/areas/assets/edits/edits.handlers.ts';
import { handleRenderImage } from '../../src/areas/assets/processing/thumbnails.handlers.ts';
import { handleRenderPerson } from '../../src/areas/people/thumbnail/thumbnail.handlers.ts';
import { makeClip } from '../fixtures/clips.ts';
import { flat } from '../fixtures/index.ts';
import { useFieldPhotos } from '../support/field-photos.ts';
import { readHeic } from '../support/field-pictures.ts';
import { call } from '../support/harness.ts';
import { drainLane } from '../support/processing.ts';
import { join } from 'node:path';

// Pictures whose names tell another type than their bytes: README.md has the public threads.

const { add, app, database, folder, get, state } = await useFieldPhotos();

/** Returns how a file with this name is told and sent. */
async function upload(name: string, bytes: Uint8Array) {
  const id = await add(bytes, { name });
  await drainLane(database, 'image', {
    'assets.renderImage': handleRenderImage,
    'assets.renderEdits': handleRenderEdits,
    'people.render': handleRenderPerson,
  });
  const { headers } = await call(app, `GET /assets/${id}/thumbnail?size=fullsize`, {
    as: state.me,
  });
  const { type, originalMimeType, originalFileName, duration } = await get(`/assets/${id}`);
  expect([type, originalFileName]).toEqual(['IMAGE', name]);
  return { told: originalMimeType, sent: headers.get('content-type'), duration };
}

const MOVING = ['-f', 'lavfi', '-i', 'testsrc=size=64x48:rate=10:duration=1'];
const moving = (name: string) => Bun.file(makeClip(join(folder, name), MOVING)).bytes();
const AS_JPEG = 'image/jpeg';

test.each([
  [
    '230: a HEIC that is named .JPG',
    'IMG_1.JPG',
    () => readHeic('quarters'),
    'image/heic',
    AS_JPEG,
  ],
  [
    '231: a JPEG that is named .HEIC',
    'IMG_2.HEIC',
    () => flat([9, 99, 9]).jpeg().toBuffer(),
    AS_JPEG,
    AS_JPEG,
  ],
  [
    '232: a WebP that is named .jpg',
    'a.jpg',
    () => flat([9, 9, 99]).webp().toBuffer(),
    'image/webp',
    'image/webp',
  ],
  [
    '233: a PNG that is named .jpeg',
    'b.jpeg',
    () => flat([99, 9, 99]).png().toBuffer(),
    'image/png',
    'image/png',
  ],
  [
    '234: a TIFF that is named .jpg',
    'c.jpg',
    () => flat([9, 9, 9]).tiff().toBuffer(),
    'image/tiff',
    AS_JPEG,
  ],
  [
    '235: an AVIF that is named .png',
    'd.png',
    () => flat([9, 9, 200]).avif().toBuffer(),
    'image/avif',
    'image/avif',
  ],
  ['236: a HEIC that is named .HIF', 'e.HIF', () => readHeic('greys'), 'image/hif', AS_JPEG],
] as const)('%s', async (_, name, make, told, sent) => {
  expect(await upload(name, await make())).toEqual({ told, sent, duration: null });
});

test('237: an animated GIF that is named .jpg', async () => {
  expect(await upload('f.jpg', await moving('f.gif'))).toEqual({
    told: 'image/gif',
    sent: 'image/gif',
    duration: 1000,
  });
});

test('238: an animated WebP that is named .gif', async () => {
  expect(await upload('g.gif', await moving('g.webp'))).toEqual({
    told: 'image/webp',
    sent: 'image/webp',
    duration: 1000,
  });
});

test('239: a drawing that is named .png is never sent as one that runs scripts', async () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script/></svg>';
  const { told, sent } = await upload('h.png', Buffer.from(svg));
  expect([told, sent]).toEqual(['image/png', 'image/png']);
});
