import type { Label, Layout } from '../../../inference/index.ts';
import {
  ALL,
  BOTTOM,
  getDarkShare,
  getHorizonGlow,
  getShare,
  getSkyShare,
  getWaterShare,
  GROUND,
  TOP,
} from './scene-layout.ts';
import { clamp, either, type RateScene, rise, toNames } from './scene-signals.ts';

// Scenes of nature: by their kinds, and by what is above and below the horizon.

/** Labels of landscapes; other ones are things that were photographed for themselves. */
const LANDSCAPE = new Set(
  toNames(`alp, valley, cliff, volcano, seashore, sandbar, promontory, lakeside, dam, Arabian camel, cliff dwelling,
    mountain tent, geyser`),
);
const HORIZONS = toNames(
  'seashore, sandbar, lakeside, promontory, valley, volcano, breakwater, alp, cliff, pier, geyser',
);
const SHIPS = toNames(
  'catamaran, trimaran, yawl, schooner, speedboat, container ship, lifeboat, beacon, pier',
);
const SHORES = toNames('seashore, sandbar, promontory, breakwater, coral reef, scuba diver');
const WOODS = toNames(
  'maze, worm fence, stone wall, valley, mountain bike, lakeside, lumbermill, dam, hay',
);
const ANIMALS = toNames('bird, cat, dog, bear, sheep, cow, horse');
const PASTURES = toNames('hay, worm fence, ox, ram, bison, hog');

/** Returns the probability of the likeliest thing that makes no landscape. */
const getOther = (tags: readonly Label[]) =>
  Math.max(0, ...tags.flatMap(({ label, score }) => (LANDSCAPE.has(label) ? [] : [score])));

/** Water beside sand, without plants and shadows. */
function getShore(layout: Layout): number {
  const sand = rise(getShare(layout, GROUND, 'sand', 'glow'), 0.1, 0.3);
  const water = rise(getWaterShare(layout), 0.1, 0.3);
  const open = clamp(1 - getShare(layout, ALL, 'green', 'dark', 'brown') * 3);
  return Math.min(sand, water) * open;
}

const rateBeach: RateScene = ({ tag, object, layout }) => {
  const sand = getShare(layout, GROUND, 'sand', 'glow');
  const water = getWaterShare(layout);
  return either(
    tag('seashore', 'sandbar') * 0.9,
    getShore(layout) * 0.6,
    object('surfboard') * rise(sand + water, 0.3, 0.6) * 0.6,
    tag('bikini', 'swimming trunks', 'maillot') * 0.4,
  );
};

const rateSea: RateScene = ({ tag, object, layout }) => {
  const water = rise(getShare(layout, BOTTOM, 'blue'), 0.5, 0.9);
  return either(
    tag(...SHORES) * 0.8,
    water * tag('grey whale', 'killer whale', 'liner') * 0.8,
    object('surfboard') * 0.7,
    water * tag(...SHIPS) * 0.6,
    water * object('boat') * 0.6,
    water * getSkyShare(layout) * 0.3,
  );
};

const rateMountains: RateScene = ({ tag, layout }) => {
  const kinds =
    tag('alp', 'volcano') +
    tag('cliff', 'mountain tent') * 0.9 +
    tag('valley') * 0.7 +
    tag('bighorn', 'ibex', 'promontory') * 0.4;
  return clamp(kinds) * (0.4 + 0.6 * rise(getSkyShare(layout), 0.1, 0.4));
};

const rateDesert: RateScene = ({ tags, tag, object, layout }) => {
  const sand = getShare(layout, BOTTOM, 'sand', 'glow');
  const dry = rise(sand, 0.6, 0.9);
  // Sand and stones under a blue sky.
  const stones = Math.min(
    rise(sand, 0.3, 0.5),
    rise(getShare(layout, BOTTOM, 'sand', 'glow', 'brown', 'grey'), 0.8, 0.95),
    rise(getShare(layout, TOP, 'blue'), 0.6, 0.9),
  );
  const around = Math.max(
    rise(getSkyShare(layout), 0.4, 0.8),
    rise(getShare(layout, ALL, 'sand'), 0.65, 0.85),
  );
  const bare = clamp(1 - getShare(layout, ALL, 'green') * 5) * (1 - getShore(layout));
  const thing = Math.max(object('person'), rise(getOther(tags), 0.3, 0.7));
  return either(
    tag('Arabian camel') * dry * 0.8,
    Math.max(dry * around, stones) * bare * (1 - thing) * 0.7,
  );
};

const rateForest: RateScene = ({ tag, object, layout }) => {
  const leaves = rise(getShare(layout, TOP, 'green', 'dark', 'brown'), 0.5, 0.8);
  const mixed = Math.min(
    rise(getShare(layout, ALL, 'green'), 0.15, 0.3),
    rise(getShare(layout, ALL, 'dark', 'brown', 'grey', 'sand'), 0.1, 0.3),
  );
  const subject = object(...ANIMALS, 'person');
  return leaves * mixed * (1 - subject) * clamp(0.25 + tag(...WOODS));
};

const rateMeadow: RateScene = ({ tag, object, layout }) => {
  const grass = rise(getShare(layout, BOTTOM, 'green'), 0.5, 0.9);
  const ground = getShare(layout, BOTTOM, 'green', 'sand', 'glow', 'brown');
  const dry =
    rise(ground, 0.7, 0.9) * clamp(tag('hay', 'worm fence', 'harvester', 'barn') * 3) * 0.6;
  const signs = either(
    getSkyShare(layout) * 0.65,
    object('cow', 'sheep', 'horse') * 0.8,
    tag(...PASTURES) * 0.7,
  );
  return Math.max(grass * signs, dry);
};

const rateSnow: RateScene = ({ tag, object, layout }) => {
  const white = rise(getShare(layout, BOTTOM, 'white', 'grey', 'blue'), 0.3, 0.6);
  const signs = either(
    object('skis', 'snowboard') * 0.9,
    tag('ski', 'ski mask') * rise(object('person'), 0.2, 0.6) * 0.8,
    tag('snowmobile', 'snowplow', 'dogsled', 'ice bear') * 0.8,
    tag('alp') * getShare(layout, BOTTOM, 'white') * 0.7,
  );
  return white * signs;
};

/** Degrees above and below the horizon between which the sun sets. */
const MAX_SUN = 12;

/** A warm light over dark ground; a sunrise looks the same. */
const rateSunset: RateScene = ({ tag, layout, exposure = 0, sunHeight }) => {
  const isOtherTime = sunHeight !== undefined && Math.abs(sunHeight) > MAX_SUN;
  if (isOtherTime || exposure < 0) return 0;
  const ground = rise(getDarkShare(layout, [6, 8], 0.45), 0.5, 0.9);
  const open = clamp(getSkyShare(layout) * 1.5);
  const place = tag(...HORIZONS);
  const signs = either(0.4, place, sunHeight === undefined ? 0 : 0.4, ground * open * 0.3);
  return getHorizonGlow(layout) * Math.max(ground * open, place * 0.8) * signs;
};

export const LANDSCAPES = {
  beach: rateBeach,
  sea: rateSea,
  mountains: rateMountains,
  desert: rateDesert,
  forest: rateForest,
  meadow: rateMeadow,
  snow: rateSnow,
  sunset: rateSunset,
} as const satisfies Readonly<Record<string, RateScene>>;
