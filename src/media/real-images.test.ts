import { afterAll, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { colorAt, openFixtures } from '../../test/fixtures/index.ts';
import { FULL_FILE_ACCESS } from '../../test/support/file-access.ts';
import { sample } from '../../test/support/sample.ts';
import { MEDIA, skipWithout } from '../../test/support/requirements.ts';
import { createExifTool } from './exiftool.ts';
import { renderImage } from './images.ts';
import { type MediaMetadata, readMetadata } from './metadata.ts';
import type { RenderedImage } from './sizes.ts';

const fixtures = openFixtures();
const exiftool = createExifTool({ files: FULL_FILE_ACCESS });
afterAll(async () => {
  await exiftool.close();
  fixtures.remove();
});

type Rendered = { readonly metadata: MediaMetadata; readonly image: RenderedImage };
const rendered = new Map<string, Promise<Rendered>>();

/** Renders a file of the folder, once for all tests. */
function renderReal(name: string): Promise<Rendered> {
  const known = rendered.get(name) ?? readAndRender(name);
  rendered.set(name, known);
  return known;
}

async function readAndRender(name: string): Promise<Rendered> {
  const path = join(MEDIA!, name);
  const metadata = await readMetadata(exiftool, path, {
    fileName: name,
    fallbackTime: new Date(0),
    ownerZone: 'UTC',
  });
  const options = { fileName: name, tempDir: fixtures.folder, exiftool, metadata };
  return { metadata, image: await renderImage(path, options) };
}

/** No intermediate file may stay behind. */
const leftovers = () =>
  readdirSync(fixtures.folder).filter((name) => /^(decode|poster)-/.test(name));

/** Returns the pictures of the folder: in a quick run one of each format in each folder. */
function listPictures(): string[] {
  const names = readdirSync(MEDIA!, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(jpe?g|heic|png|webp|avif|jxl)$/i.test(name),
  );
  expect(names.length).toBeGreaterThan(30);
  const kinds = Map.groupBy(names.sort(), (name) => join(dirname(name), extname(name)));
  return [...kinds].flatMap(([kind, all]) => sample(kind, all, 1));
}

skipWithout('media').describe('files of real cameras', () => {
  test('every picture of the folder renders at the size that its metadata tells', async () => {
    for (const name of listPictures()) {
      const { metadata, image } = await renderReal(name);
      expect([name, image.damage]).toEqual([name, undefined]);
      if (metadata.width !== undefined)
        expect([name, image.width, image.height]).toEqual([name, metadata.width, metadata.height!]);
    }
    expect(leftovers()).toEqual([]);
  }, 300_000);

  test('the same colour chart by HEIC and by JPEG looks the same, and upright', async () => {
    const { image: heic } = await renderReal('iphone-13-pro/IMG_8563.HEIC');
    const { image: jpeg } = await renderReal('iphone-13-pro/IMG_8567.JPG');
    expect([heic.width, heic.height]).toEqual([3024, 4032]);
    expect([jpeg.width, jpeg.height]).toEqual([3024, 4032]);
    // The white patch is at the top left of the upright chart.
    const [light] = await colorAt(heic.preview.bytes, 0.24, 0.16);
    const [lightToo] = await colorAt(jpeg.preview.bytes, 0.24, 0.16);
    expect(light).toBeGreaterThan(220);
    expect(lightToo).toBeGreaterThan(220);
  });
});
