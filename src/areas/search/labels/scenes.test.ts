import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { type DrawnScene, drawScene } from '../../../../test/support/drawn-scenes.ts';
import { type Label, LAYOUT_SIDE, type LayoutCell } from '../../../inference/index.ts';
import { computeLayout } from '../../../inference/run/layout.ts';
import figures from './scene-figures.json' with { type: 'json' };
import { computeExposureValue, computeSunHeight } from './scene-light.ts';
import { getTone } from './scene-layout.ts';
import type { SceneSignals } from './scene-signals.ts';
import { findLikelyScenes, findScenes, rateScenes, SCENES } from './scenes.ts';
import { loadVocabulary } from './vocabulary.ts';
import { labels } from './words.json' with { type: 'json' };

const toLabels = (scores: Readonly<Record<string, number>>): Label[] =>
  Object.entries(scores).map(([label, score]) => ({ label, score }));
const SKY: LayoutCell = [110, 160, 220, 4];
const WATER: LayoutCell = [40, 120, 170, 12];
const SAND: LayoutCell = [225, 200, 150, 12];
const GRASS: LayoutCell = [90, 150, 50, 15];
const BLACK: LayoutCell = [12, 12, 18, 3];
const LAMP: LayoutCell = [250, 210, 130, 60];
const PAPER: LayoutCell = [232, 232, 228, 1];
/** Rows of one colour each, from the top. */
const rows = (...cells: readonly LayoutCell[]) =>
  cells.flatMap((cell) => Array.from({ length: LAYOUT_SIDE }, () => cell));
const paint = (top: LayoutCell, middle: LayoutCell, bottom: LayoutCell) =>
  rows(top, top, top, middle, middle, bottom, bottom, bottom);

const NOTHING: SceneSignals = { tags: [], objects: [], layout: [], words: [] };
const find = (signals: Partial<SceneSignals>) =>
  findScenes({ ...NOTHING, ...signals })
    .map(({ label }) => label)
    .toSorted();

describe('a scene', () => {
  test('is not claimed of nothing, of paper, or of one colour', () => {
    expect(find({})).toEqual([]);
    for (const cell of [PAPER, SKY, WATER, GRASS, BLACK, LAMP])
      expect([cell, find({ layout: paint(cell, cell, cell) })]).toEqual([cell, []]);
  });

  test.each<[string, Partial<SceneSignals>, readonly string[]]>([
    ['water above sand', { layout: paint(SKY, WATER, SAND) }, ['beach']],
    ['sky above sand', { layout: paint(SKY, SAND, SAND) }, ['desert']],
    [
      'its label',
      { tags: toLabels({ seashore: 0.7 }), layout: paint(SKY, WATER, WATER) },
      ['beach', 'sea'],
    ],
    [
      'a surfboard on water',
      { objects: toLabels({ surfboard: 0.8 }), layout: paint(WATER, WATER, WATER) },
      ['sea'],
    ],
    [
      'a surfboard on a wall',
      { objects: toLabels({ surfboard: 0.6 }), layout: paint(PAPER, PAPER, PAPER) },
      [],
    ],
    [
      'mountains under the sky',
      { tags: toLabels({ alp: 0.5, valley: 0.2 }), layout: paint(SKY, GRASS, GRASS) },
      ['meadow', 'mountains'],
    ],
    [
      'a cow on grass',
      { objects: toLabels({ cow: 0.8 }), layout: paint(GRASS, GRASS, GRASS) },
      ['meadow'],
    ],
    ['a cow on paper', { objects: toLabels({ cow: 0.8 }), layout: paint(PAPER, PAPER, PAPER) }, []],
    [
      'a camel cut out',
      { tags: toLabels({ 'Arabian camel': 0.9 }), layout: paint(PAPER, PAPER, PAPER) },
      [],
    ],
    [
      'an oven and a fridge',
      { objects: toLabels({ oven: 0.8, refrigerator: 0.8 }) },
      ['indoors', 'kitchen'],
    ],
    ['an oven alone', { objects: toLabels({ oven: 0.8 }) }, []],
    ['a traffic light alone', { objects: toLabels({ 'traffic light': 0.9 }) }, []],
    [
      'skis on snow',
      { objects: toLabels({ skis: 0.8 }), layout: paint(SKY, PAPER, PAPER) },
      ['snow'],
    ],
  ])('is told by what belongs to it: %s', (_, signals, scenes) => {
    expect(find(signals)).toEqual([...scenes]);
  });

  test('counts what there are many of', () => {
    const cars = (count: number) =>
      Array.from({ length: count }, () => ({ label: 'car', score: 0.8 }));
    expect([find({ objects: cars(3) }), find({ objects: cars(1) })]).toEqual([['street'], []]);
    const guests = Array.from({ length: 5 }, () => ({ label: 'person', score: 0.8 }));
    const cake = { label: 'cake', score: 0.8 };
    expect(find({ objects: [...guests, cake] })).toEqual(['party']);
    expect(find({ objects: [cake] })).toEqual([]);
  });

  test('is a bar by its glasses and by what is written there', () => {
    const glasses = Array.from({ length: 3 }, () => ({ label: 'cup', score: 0.7 }));
    const people = [...glasses, { label: 'person', score: 0.9 }];
    const tags = toLabels({ restaurant: 0.3 });
    expect(find({ objects: people, tags, words: ['pale', 'ale'] })).toContain('bar');
    expect(find({ objects: people, words: ['tea'] })).not.toContain('bar');
  });

  test('is night by the dark and the hour, the exposure or lit buildings', () => {
    const layout = rows(BLACK, BLACK, BLACK, BLACK, LAMP, BLACK, BLACK, BLACK);
    expect(find({ layout })).not.toContain('night');
    expect(find({ layout, sunHeight: -20 })).toContain('night');
    expect(find({ layout, exposure: 1 })).toContain('night');
    expect(find({ layout, tags: toLabels({ palace: 0.6 }) })).toContain('night');
    for (const day of [{ sunHeight: 30 }, { exposure: 12 }])
      expect([day, find({ layout, tags: toLabels({ palace: 0.9 }), ...day })]).toEqual([day, []]);
    const swan = [{ label: 'bird', score: 0.8 }];
    expect(find({ layout, tags: toLabels({ 'black swan': 0.9 }), objects: swan })).toEqual([]);
  });

  test('is a sunset at that hour only, and indoors never in the sun', () => {
    const layout = paint([90, 90, 130, 5], [250, 170, 80, 20], [40, 25, 25, 8]);
    expect(find({ layout })).toEqual(['sunset']);
    expect(find({ layout, sunHeight: 2 })).toEqual(['sunset']);
    expect(find({ layout, sunHeight: 40 })).toEqual([]);
    const sofa = toLabels({ couch: 0.9, chair: 0.8, tv: 0.8 });
    expect(find({ objects: sofa })).toEqual(['indoors']);
    expect(find({ objects: sofa, exposure: 14 })).toEqual([]);
  });

  test('has a score between 0 and 1', () => {
    const layout = paint(SKY, WATER, SAND);
    const tags = toLabels({ seashore: 1, alp: 1, stage: 1 });
    const rated = rateScenes({ ...NOTHING, layout, tags, objects: toLabels({ surfboard: 1 }) });
    expect(rated.map(({ label }) => label)).toEqual([...SCENES]);
    for (const { score } of rated) expect(score).toBeWithin(0, 1.000_001);
  });
});

test('a scene that is likely is told apart from one that is claimed', () => {
  const guess = (signals: Partial<SceneSignals>) =>
    findLikelyScenes({ ...NOTHING, ...signals })
      .map(({ label }) => label)
      .toSorted();
  const dark = rows(BLACK, BLACK, BLACK, BLACK, LAMP, BLACK, BLACK, BLACK);
  expect(guess({ layout: paint(SKY, WATER, WATER) })).toContain('sea?');
  expect(guess({ layout: paint(SKY, GRASS, GRASS) })).not.toContain('sea?');
  expect(guess({ layout: paint(GRASS, GRASS, GRASS) })).toEqual(['meadow?']);
  expect(guess({ objects: toLabels({ car: 0.9 }) })).toEqual(['street?']);
  expect(guess({ layout: dark })).toEqual(['night?']);
  for (const signals of [
    {},
    { layout: paint(PAPER, PAPER, PAPER) },
    { objects: toLabels({ cup: 0.5 }) },
    { layout: dark, exposure: 12 },
    { layout: dark, sunHeight: 30 },
  ])
    expect([signals, guess(signals)]).toEqual([signals, []]);
  // Claimed ones are not told twice.
  expect(guess({ tags: toLabels({ seashore: 0.9 }), layout: paint(SKY, WATER, WATER) })).toEqual(
    [],
  );
});

test('every scene has a threshold, figures, and a word in each language', async () => {
  const { findLabels, toLanguage, translate, languages } = await loadVocabulary();
  expect(Object.keys(figures)).toEqual([...SCENES]);
  expect(labels.filter((label) => label.startsWith('scenes:'))).toEqual(
    SCENES.map((scene) => `scenes:${scene}`),
  );
  for (const scene of SCENES) {
    expect([scene, findLabels(scene)]).toEqual([
      scene,
      expect.arrayContaining([`scenes:${scene}`]),
    ]);
    for (const language of languages) {
      const name = toLanguage(scene, language) ?? '';
      expect([scene, language, name]).not.toEqual([scene, language, '']);
      const word = name.toLowerCase().normalize('NFKD').replaceAll(/\p{M}/gu, '');
      const english = translate(word.replaceAll('ß', 'ss').replaceAll('ł', 'l'), language)?.english;
      expect([scene, name, findLabels(english ?? '')]).toEqual([
        scene,
        name,
        expect.arrayContaining([`scenes:${scene}`]),
      ]);
    }
  }
});

test('more is right than wrong in each scene that was measured', () => {
  for (const [scene, { fitted, heldOut }] of Object.entries(figures)) {
    const [right, wrong] = [fitted.right + heldOut.right, fitted.wrong + heldOut.wrong];
    expect([scene, wrong <= right]).toEqual([scene, true]);
    expect([scene, right <= fitted.shown + heldOut.shown]).toEqual([scene, true]);
  }
});

test('the documentation has the figures that were measured', () => {
  const page = readFileSync(join(import.meta.dir, '../../../../appliance/docs/search.md'), 'utf8');
  const format = ({ shown, right, wrong }: { shown: number; right: number; wrong: number }) =>
    shown + wrong === 0 ? '–' : `${right} of ${shown}, ${wrong} wrong`;
  for (const [scene, { threshold, fitted, heldOut }] of Object.entries(figures)) {
    const row = page.split('\n').find((line) => line.startsWith(`| ${scene} `)) ?? '';
    const cells = row.split('|').map((cell) => cell.trim());
    expect(cells.slice(1, 5)).toEqual([scene, String(threshold), format(fitted), format(heldOut)]);
  }
});

test('a layout is the mean colours of the cells', async () => {
  const getLayout = async (scene: DrawnScene) => {
    const raw = sharp(await drawScene(scene))
      .removeAlpha()
      .raw();
    const { data, info } = await raw.toBuffer({ resolveWithObject: true });
    return computeLayout({ width: info.width, height: info.height, data: new Uint8Array(data) });
  };
  const beach = await getLayout('beach');
  expect(beach).toHaveLength(LAYOUT_SIDE * LAYOUT_SIDE);
  expect([0, 4, 7].map((row) => getTone(beach[row * LAYOUT_SIDE]!))).toEqual([
    'blue',
    'blue',
    'sand',
  ]);
  const wall = await getLayout('wall');
  for (const [, , , contrast] of wall) expect(contrast).toBeLessThan(5);
  expect(find({ layout: beach })).toEqual(['beach']);
  expect(find({ layout: await getLayout('sunset') })).toEqual(['sunset']);
  expect(find({ layout: await getLayout('night'), sunHeight: -30 })).toEqual(['night']);
  expect(find({ layout: wall })).toEqual([]);
});

test('the exposure value is that of ISO 2720, where the camera tells all of it', () => {
  const full = { fNumber: 16, exposureTime: '1/125', iso: 100 };
  expect(computeExposureValue(full)).toBeCloseTo(14.97, 1);
  expect(computeExposureValue({ fNumber: 2, exposureTime: '1/15', iso: 3200 })).toBeCloseTo(0.9, 1);
  expect(computeExposureValue({ ...full, exposureTime: '2' })).toBeCloseTo(7, 1);
  for (const lacking of [
    { fNumber: null },
    { exposureTime: null },
    { iso: null },
    { iso: 0 },
    { exposureTime: '1/0' },
    { exposureTime: 'auto' },
    { fNumber: -2 },
  ])
    expect([lacking, computeExposureValue({ ...full, ...lacking })]).toEqual([lacking, undefined]);
});

test('the sun is as high as almanacs say', () => {
  // Noon at Greenwich at the solstices: 90 - 51.48 ± 23.44.
  expect(computeSunHeight(new Date('2024-06-20T12:00:00Z'), 51.48, 0)).toBeCloseTo(61.9, 0);
  expect(computeSunHeight(new Date('2024-12-21T12:00:00Z'), 51.48, 0)).toBeCloseTo(15.1, 0);
  expect(computeSunHeight(new Date('2024-06-21T00:00:00Z'), 51.48, 0)).toBeCloseTo(-15.1, 0);
  // Sunset in Sydney on this day is at 05:54 UTC.
  expect(Math.abs(computeSunHeight(new Date('2024-03-20T08:04:00Z'), -33.87, 151.21))).toBeLessThan(
    1.5,
  );
});
