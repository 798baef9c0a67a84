import { expect, test } from 'bun:test';
import { listMediaFiles } from '../../src/areas/imports/media-files.ts';
import { useFieldPhotos } from '../support/field-photos.ts';

// Names of photos and of the files beside them: README.md has the public threads.

const { get, show } = await useFieldPhotos();

/** The names of sidecars by the names of their photos. */
const pair = (...names: string[]) =>
  Object.fromEntries(
    listMediaFiles('/x', names).map(({ name, sidecarPath }) => [name, sidecarPath?.slice(3)]),
  );

const [COMPOSED, DECOMPOSED] = ['Köln'.normalize('NFC'), 'Köln'.normalize('NFD')];

test.each([
  [
    '190: a photo of a Mac with a sidecar of another system',
    `${DECOMPOSED}.jpg`,
    `${COMPOSED}.jpg.xmp`,
  ],
  [
    '191: a photo of another system with a sidecar of a Mac',
    `${COMPOSED}.JPG`,
    `${DECOMPOSED}.xmp`,
  ],
])('%s', (_, photo, sidecar) => {
  expect(pair(photo, sidecar)).toEqual({ [photo]: sidecar });
});

test('192: a photo that a browser has saved as .jfif', async () => {
  const asset = await show({ name: 'photo.jfif', tags: ['-DateTimeOriginal=2021:08:14 18:30:00'] });
  expect(asset).toMatchObject({
    type: 'IMAGE',
    originalMimeType: 'image/jpeg',
    localDateTime: '2021-08-14T18:30:00.000Z',
  });
  expect((await get('/server/media-types')).image).toContain('.jfif');
});

test('193: pixels are turned by their own file, not by the orientation in a sidecar', async () => {
  const { exifInfo, width } = await show({ sidecar: '<tiff:Orientation>6</tiff:Orientation>' });
  expect([exifInfo.orientation, width]).toEqual([null, 320]);
});

test('195: a photo and its raw file share a sidecar, which gives way to one of their own', () => {
  expect(pair('image1.jpg', 'image1.ARW', 'IMAGE1.XMP', 'image1.arw.xmp')).toEqual({
    'image1.jpg': 'IMAGE1.XMP',
    'image1.ARW': 'image1.arw.xmp',
  });
});
