import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { addThumbnail, matchAll, saveFeature } from '../../../test/support/similar-assets.ts';
import { effort } from '../../../test/support/effort.ts';
import {
  call,
  seed,
  type TestDatabase,
  testApp,
  testDatabase,
  type TestUser,
} from '../../../test/support/harness.ts';
import { withModels } from '../../../test/support/models.ts';
import { sample } from '../../../test/support/sample.ts';
import { MEDIA, skipWithout } from '../../../test/support/requirements.ts';
import type { App } from '../../app.ts';
import { silentLog } from '../../core/log.ts';
import { openInference } from '../../inference/client.ts';
import type { Inference } from '../../inference/types.ts';

// Recall of copies and the number of false positives: by the real model, on real
// photos and on what is hardest to tell apart, pages of text and photos of one chart.

/** By kind of photo, with how many of them a quick run takes. */
const PHOTOS: readonly (readonly [quick: number, names: readonly string[]])[] = [
  [
    1,
    [
      'nature/notocactus_minimus.jpg',
      'nature/prairie_falcon.jpg',
      'nature/el_torcal_rocks.jpg',
      'nature/wood_anemones.jpg',
    ],
  ],
  [1, ['text/craft-beer.jpg', 'text/handwritten-notes.jpg']],
  [1, ['metadata/faces/portrait.jpg', 'metadata/gps-position/thompson-springs.jpg']],
  // The same chart, by four cameras.
  [
    2,
    [
      'cameras/DSC_0011.JPG',
      'cameras/GOPR8511.JPG',
      'cameras/_DSC8830.JPG',
      'cameras/P1010006.JPG',
    ],
  ],
];
const PAGES = effort({ quick: 2, full: 8 });
const PAGE = { width: 700, height: 990 };

const COPIES: readonly ((whole: Buffer) => Promise<Buffer>)[] = [
  (whole) => sharp(whole).jpeg({ quality: 40 }).toBuffer(),
  (whole) => sharp(whole).resize(480).jpeg().toBuffer(),
  (whole) => sharp(whole).webp({ quality: 60 }).toBuffer(),
  (whole) => sharp(whole).modulate({ brightness: 1.1 }).jpeg().toBuffer(),
];

const folder = mkdtempSync(join(tmpdir(), 'safelight-copies-'));
let database: TestDatabase;
let app: App;
let me: TestUser;
let inference: Inference;
/** Which picture an asset is a copy of. */
const wholes = new Map<string, string>();
let crops: Set<string>;

const photo = (name: string) =>
  sharp(join(MEDIA!, name), { failOn: 'none' })
    .autoOrient()
    .resize(1000, 1000, { fit: 'inside', withoutEnlargement: true })
    .removeAlpha()
    .png({ compressionLevel: 1 })
    .toBuffer();

/** Lines of other lengths on each: as two pages of one letter. */
function page(at: number): Promise<Buffer> {
  let state = at + 7;
  const random = () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
  const lines = Array.from({ length: 34 }, (_, y) => {
    const words = Array.from({ length: 2 + random() * 7 }, () =>
      'lorem ipsum dolor'.slice(0, 3 + random() * 9),
    );
    return `<text x="60" y="${90 + y * 24}" font-size="16">${words.join(' ')}</text>`;
  });
  const { width, height } = PAGE;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <rect width="100%" height="100%" fill="#fff"/>${lines.join('')}</svg>`;
  return sharp(Buffer.from(svg)).flatten().png().toBuffer();
}

async function cropped(whole: Buffer): Promise<Buffer> {
  const { width, height } = await sharp(whole).metadata();
  const [left, top] = [Math.round(width * 0.025), Math.round(height * 0.025)];
  const box = { left, top, width: width - 2 * left, height: height - 2 * top };
  return sharp(whole).extract(box).jpeg().toBuffer();
}

async function add(whole: string, picture: Buffer): Promise<string> {
  // Nothing but derived files is read by the models.
  const path = join(folder, 'derived', 'picture.jpg');
  const preview = await sharp(picture).jpeg({ quality: 85 }).toBuffer();
  await Bun.write(path, preview);
  const { results } = await inference.analyze({ path }, ['feature']);
  const vector = results.feature!;
  const id = await seed(database).asset({ ownerId: me.id });
  await addThumbnail(database, id, preview);
  const model = { modelId: 'real', dimension: vector.length };
  await saveFeature(database, { assetId: id, ownerId: me.id }, vector, model);
  wholes.set(id, whole);
  return id;
}

const pairsIn = (ids: readonly string[]): [string, string][] =>
  ids.flatMap((one, at) => ids.slice(at + 1).map((other): [string, string] => [one, other]));
const isCopy = ([one, other]: readonly [string, string]) => wholes.get(one) === wholes.get(other);

async function report(query = '') {
  const { body } = await call(app, `GET /duplicates${query}` as 'GET /', { as: me });
  const found = body.flatMap(({ assets }: { assets: { id: string }[] }) =>
    pairsIn(assets.map(({ id }) => id)),
  );
  const right = found.filter(isCopy);
  const isPlain = (pair: readonly string[]) => !pair.some((id) => crops.has(id));
  const plain = pairsIn([...wholes.keys()]).filter((pair) => isCopy(pair) && isPlain(pair));
  return {
    wrong: found
      .filter((pair: [string, string]) => !isCopy(pair))
      .map((pair: string[]) => pair.map((id) => wholes.get(id)).join(' = ')),
    precision: right.length / found.length,
    recall: right.filter(isPlain).length / plain.length,
  };
}

skipWithout('models', 'media').describe(
  'copies in other sizes, formats, qualities and light',
  () => {
    beforeAll(async () => {
      database = await testDatabase();
      app = testApp(database);
      me = await seed(database).user();
      inference = openInference({ settings: withModels(folder), log: silentLog });
      crops = new Set();
      const names = PHOTOS.flatMap(([quick, all]) => sample(`copies of ${all[0]}`, all, quick));
      const pictures = [
        ...(await Promise.all(names.map(async (name) => [name, await photo(name)] as const))),
        ...(await Promise.all(
          Array.from({ length: PAGES }, async (_, at) => [`page ${at}`, await page(at)] as const),
        )),
      ];
      for (const [name, whole] of pictures) {
        await add(name, whole);
        for (const copy of COPIES) await add(name, await copy(whole));
        crops.add(await add(name, await cropped(whole)));
      }
      await matchAll(database);
    }, 300_000);
    afterAll(async () => {
      await inference.close();
      await database.close();
      rmSync(folder, { recursive: true });
    });

    test('are found with hardly any false positive', async () => {
      const { wrong, precision, recall } = await report();
      expect(wrong.length / pairsIn([...wholes.keys()]).length).toBeLessThan(0.001);
      expect(precision).toBeGreaterThan(0.97);
      expect(recall).toBeGreaterThan(0.9);
    });

    test('no false positive is a copy, and nearly all copies without crops are', async () => {
      expect((await report('?likeness=copy')).wrong).toEqual([]);
      for (const id of crops) {
        await database.sql`delete from asset where id = ${id}`;
        wholes.delete(id);
      }
      const { wrong, recall } = await report('?likeness=copy');
      expect(wrong).toEqual([]);
      expect(recall).toBeGreaterThan(0.6);
    });
  },
);
