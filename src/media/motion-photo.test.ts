import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FULL_FILE_ACCESS } from '../../test/support/file-access.ts';
import { H264, clip, openFixtures, quarters } from '../../test/fixtures/index.ts';
import { MEDIA, skipWithout } from '../../test/support/requirements.ts';
import { createExifTool } from './exiftool.ts';
import { renderImage } from './images.ts';
import { type MotionPhoto, readMetadata } from './metadata.ts';
import { extractMotionVideo } from './motion-photo.ts';

const fixtures = openFixtures();
const exiftool = createExifTool({ files: FULL_FILE_ACCESS });
afterAll(async () => {
  await exiftool.close();
  fixtures.remove();
});

const OPTIONS = { fallbackTime: new Date(0), ownerZone: 'UTC' };

/** As Google's camera writes it: the video behind the picture, its length in XMP. */
async function microVideo(name: string): Promise<{ path: string; video: Uint8Array }> {
  const video = await Bun.file(clip(fixtures.path(`${name}.mp4`), ...H264)).bytes();
  const xmp =
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
    '<rdf:Description rdf:about="" xmlns:GCamera="http://ns.google.com/photos/1.0/camera/" ' +
    `GCamera:MicroVideo="1" GCamera:MicroVideoVersion="1" GCamera:MicroVideoOffset="${video.length}"/></rdf:RDF></x:xmpmeta>`;
  const jpeg = await quarters(320, 200).jpeg().toBuffer();
  const body = Buffer.from(`http://ns.adobe.com/xap/1.0/\0${xmp}`);
  const head = Buffer.from([0xff, 0xe1, (body.length + 2) >> 8, (body.length + 2) & 255]);
  const path = fixtures.path(name);
  await Bun.write(path, Buffer.concat([jpeg.subarray(0, 2), head, body, jpeg.subarray(2), video]));
  return { path, video };
}

const extract = (path: string, target: string, motionPhoto: MotionPhoto) =>
  extractMotionVideo(path, fixtures.path(target), { motionPhoto });

test('the video behind a picture comes out byte for byte', async () => {
  const { path, video } = await microVideo('micro.jpg');
  const { motionPhoto } = await readMetadata(exiftool, path, { ...OPTIONS, fileName: path });
  expect(motionPhoto).toEqual({ fromEnd: video.length });
  const found = await extract(path, 'micro.out.mp4', motionPhoto!);
  expect(found.video).toMatchObject({ codec: 'h264', width: 320 });
  const copied = Buffer.from(await Bun.file(fixtures.path('micro.out.mp4')).arrayBuffer());
  expect(copied.equals(video)).toBe(true);
});

test('the picture in front of the video renders without damage', async () => {
  const { path } = await microVideo('front.jpg');
  const image = await renderImage(path, { fileName: path, tempDir: fixtures.folder });
  expect([image.width, image.height, image.damage]).toEqual([320, 200, undefined]);
});

describe("a missing video throws 'broken' and leaves no file", () => {
  const rows: [name: string, motionPhoto: MotionPhoto][] = [
    ['an offset beyond the file', { fromEnd: 10 ** 9 }],
    ['bytes that are no video', { fromEnd: 500 }],
    ['no place', {}],
  ];
  for (const [name, motionPhoto] of rows)
    test(name, async () => {
      const path = fixtures.path('plain.jpg');
      await quarters(320, 200).jpeg().toFile(path);
      await expect(extract(path, 'false.mp4', motionPhoto)).rejects.toThrow();
      expect(existsSync(fixtures.path('false.mp4'))).toBe(false);
      expect(existsSync(fixtures.path('false.mp4.part'))).toBe(false);
    });
});

test('a file that consists of names of boxes is given up, whatever follows', async () => {
  const { path } = await microVideo('front-of-names.jpg');
  const names = Buffer.from('ftyp'.repeat(2000));
  const behind = fixtures.path('names.jpg');
  await Bun.write(behind, Buffer.concat([names, Buffer.from(await Bun.file(path).bytes())]));
  await expect(extract(behind, 'names.mp4', {})).rejects.toThrow('has none');
});

skipWithout('media').test('the video of a real Samsung HEIC comes out', async () => {
  const path = join(MEDIA!, 'formats/motionphoto/samsung-one-ui-6.heic');
  const { motionPhoto } = await readMetadata(exiftool, path, { ...OPTIONS, fileName: path });
  const found = await extract(path, 'samsung.mp4', motionPhoto!);
  expect(found.video).toMatchObject({ codec: 'hevc' });
});
