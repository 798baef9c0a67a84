import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { useApp } from '../../../test/support/database.ts';
import { getIds } from '../../../test/support/duplicate-sets.ts';
import { effort } from '../../../test/support/effort.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { withModels } from '../../../test/support/models.ts';
import {
  addBorder,
  BANNER,
  crop,
  type CropBox,
  drawOver,
  LOGO,
  WORDS,
} from '../../../test/support/painted-photos.ts';
import { addThumbnail, matchAll, saveFeature } from '../../../test/support/similar-assets.ts';
import { MEDIA, skipWithout } from '../../../test/support/requirements.ts';
import { silentLog } from '../../core/log.ts';
import { openInference } from '../../inference/client.ts';
import type { Inference } from '../../inference/types.ts';
import type { Duplicates } from './schemas.ts';

// Recall of crops, watermarks and borders of real photos by the real model, where nothing else may be proposed.

const PHOTOS = [
  'nature/cyclamen_persicum.jpg',
  'nature/el_torcal_rocks.jpg',
  'nature/notocactus_minimus.jpg',
  'nature/orychophragmus_violaceus.jpg',
  'nature/polemonium_reptans.jpg',
  'nature/prairie_falcon.jpg',
  'nature/tanners_ridge.jpg',
  'nature/wood_anemones.jpg',
  'formats/webp/denali.webp',
  'metadata/faces/portrait.jpg',
  'metadata/gps-position/empty_gps.jpg',
  'text/book-beside-flowers.jpg',
  'text/craft-beer.jpg',
  'text/handwritten-notes.jpg',
  'text/japanese-shop.jpg',
] as const;
/** 69, 60 and 53 % of the area, two in another shape. */
const CROPS: readonly CropBox[] = [
  [0.06, 0.1, 0.86, 0.8],
  [0, 0.16, 1, 0.6],
  [0.25, 0.02, 0.56, 0.95],
];
const DRAWINGS = [WORDS, BANNER, LOGO];

/** A chart by four cameras and a burst of it, and other photos. */
const OTHERS = [
  ['cameras/DSC_0011.JPG', 'NIKON D90', '2021-06-25T10:35:55Z'],
  ['cameras/GOPR8511.JPG', 'HERO7 Black', '2020-10-28T08:54:57Z'],
  ['cameras/_DSC8830.JPG', 'SLT-A57', '2020-04-27T16:07:56Z'],
  ['cameras/_MG_0633.JPG', 'Canon EOS RP', '2020-02-18T08:55:53.620Z'],
  ['iphone-xr/IMG_3580.JPG', 'iPhone XR', '2020-04-17T10:03:42.144Z'],
  ['iphone-xr/IMG_3581.JPG', 'iPhone XR', '2020-04-17T10:03:42.262Z'],
  ['iphone-xr/IMG_3582.JPG', 'iPhone XR', '2020-04-17T10:03:42.366Z'],
  ['iphone-13-pro/IMG_8567.JPG', 'iPhone 13 Pro', '2021-09-27T07:13:30Z'],
  ['nature/silver_fir.jpg', undefined, undefined],
  ['metadata/rating/mongolels.jpg', undefined, undefined],
] as const;

const TAKEN = effort({ quick: 5, full: PHOTOS.length });
const folder = mkdtempSync(join(tmpdir(), 'safelight-crops-'));

const { database, app } = await useApp();

skipWithout('models', 'media').describe('crops, watermarks and borders of real photos', () => {
  let me: TestUser;
  let inference: Inference;
  /** Photo by asset. */
  const wholes = new Map<string, string>();
  beforeAll(async () => {
    me = await seed(database).user();
    inference = openInference({ settings: withModels(folder), log: silentLog });
  });
  afterAll(async () => {
    await inference.close();
    rmSync(folder, { recursive: true });
  });

  const photo = (name: string) =>
    sharp(join(MEDIA!, name), { failOn: 'none' })
      .autoOrient()
      .resize(1200, 1200, { fit: 'inside', withoutEnlargement: true })
      .removeAlpha()
      .jpeg({ quality: 92 })
      .toBuffer();

  async function add(name: string, picture: Buffer, exif: object = {}): Promise<string> {
    const path = join(folder, 'derived', 'picture.jpg');
    await Bun.write(path, await sharp(picture).jpeg({ quality: 85 }).toBuffer());
    const { results } = await inference.analyze({ path }, ['feature']);
    const vector = results.feature!;
    const id = await seed(database).asset({ ownerId: me.id, exif });
    await addThumbnail(database, id, picture);
    const model = { modelId: 'real', dimension: vector.length };
    await saveFeature(database, { assetId: id, ownerId: me.id }, vector, model);
    wholes.set(id, name);
    return id;
  }

  async function addVariants(name: string, at: number) {
    const whole = await photo(name);
    const one = await add(name, whole);
    const variants: [kind: string, picture: Buffer][] = [
      ['crop', await crop(whole, CROPS[at % CROPS.length]!)],
      at % 3 === 2
        ? ['border', await addBorder(whole, 0.06, at % 2 ? '#000' : '#fff')]
        : ['watermark', await drawOver(whole, DRAWINGS[Math.floor(at / 2) % DRAWINGS.length]!)],
    ];
    const made: { kind: string; name: string; one: string; other: string }[] = [];
    for (const [kind, picture] of variants) {
      made.push({ kind, name, one, other: await add(name, picture) });
    }
    return made;
  }

  test('are found in five of six, and nothing else is proposed', async () => {
    const made: Awaited<ReturnType<typeof addVariants>> = [];
    for (const [at, name] of PHOTOS.slice(0, TAKEN).entries()) {
      made.push(...(await addVariants(name, at)));
    }
    for (const [name, model, shotAt] of OTHERS) {
      const exif = model ? { model, dateTimeOriginal: new Date(shotAt) } : {};
      await add(name, await photo(name), exif);
    }
    await matchAll(database);
    const { body } = await call(app, 'GET /duplicates', { as: me });
    const sets: Duplicates[] = body;
    const wrong = sets
      .map((set) => new Set(getIds(set).map((id) => wholes.get(id))))
      .filter((names) => names.size > 1);
    expect(wrong).toEqual([]);
    const isFound = ({ one, other }: { one: string; other: string }) =>
      sets.some((set) => [one, other].every((id) => getIds(set).includes(id)));
    const missed = made.filter((variant) => !isFound(variant));
    const names = missed.map(({ kind, name }) => `${kind} of ${name}`);
    expect(
      (made.length - missed.length) / made.length,
      `missed: ${names.join(', ')}`,
    ).toBeGreaterThanOrEqual(25 / 30);
  }, 300_000);
});
