import { ALL, BOTTOM, getDarkShare, getDarkSkyShare, getLitShare } from './scene-layout.ts';
import {
  either,
  isDaylight,
  isSunlight,
  type Picture,
  type RateScene,
  rise,
  toNames,
} from './scene-signals.ts';

// Scenes of towns and rooms: by the things that are seen in few others, and by the light.

/** Persons, cars or glasses from which on there are many. */
const MANY = 3;
export const SHOPS =
  toNames(`bookshop, tobacco shop, toyshop, shoe shop, barbershop, bakery, butcher shop, cinema, restaurant,
  confectionery, grocery store`);
/** Buildings and signs that are lit at night. */
export const BUILDINGS =
  toNames(`church, bell cote, monastery, palace, castle, dome, suspension bridge, steel arch bridge, pier,
  fountain, planetarium, triumphal arch, mosque, street sign, traffic light, cab, tile roof, obelisk, stupa, viaduct`);
const FURNITURE =
  toNames(`couch, bed, tv, toilet, refrigerator, oven, microwave, sink, dining table, chair, wine glass,
  laptop, book, cup`);
const ROOMS =
  toNames(`restaurant, library, studio couch, bookcase, wardrobe, dining table, theater curtain, stage,
  home theater, barbershop, tobacco shop, confectionery, window shade, entertainment center, four-poster, desk`);
const FITTINGS = toNames('oven, microwave, refrigerator, sink, toaster, dining table');
const DRINKS = toNames('wine glass, cup, bottle');
const BARS =
  toNames(`restaurant, tobacco shop, cocktail shaker, beer glass, beer bottle, wine bottle, red wine,
  eggnog`);
const BAR_WORDS = new Set(
  toNames(`bar, pub, beer, beers, bier, ale, ipa, lager, brewery, brewing, taproom, cocktails, draught, stout,
    pilsner, cerveza, biere, birra, piwo, cerveja`),
);

/** Degrees of the sun below the horizon at which the night begins (civil dusk). */
const DUSK = -6;

/** An animal that fills the picture, before black: what is around it tells little. */
const isPortrait = ({ object, tags }: Picture) =>
  object('cat', 'dog', 'bird', 'bear') >= 0.6 && (tags[0]?.score ?? 0) > 0.5;

const rateNight: RateScene = (picture) => {
  const { tag, layout, exposure, sunHeight } = picture;
  if (isDaylight(picture)) return 0;
  const dark = Math.max(
    rise(getDarkShare(layout, ALL, 0.2), 0.3, 0.6),
    rise(getDarkSkyShare(layout), 0.4, 0.7) * rise(getDarkShare(layout, BOTTOM, 0.35), 0.1, 0.4),
  );
  const lit = rise(getLitShare(layout), 0, 0.05);
  const signs = either(
    sunHeight !== undefined && sunHeight < DUSK ? 0.8 : 0,
    exposure === undefined ? 0 : rise(-exposure, -5, -2) * 0.7,
    isPortrait(picture) ? 0 : tag(...BUILDINGS, ...SHOPS),
  );
  return dark * (0.5 + 0.5 * lit) * signs;
};

const rateStreet: RateScene = ({ tag, object, count }) => {
  const isBusy = count('car', 'bus', 'truck', 'person') > 0;
  const fixtures = object('traffic light', 'stop sign', 'parking meter', 'fire hydrant');
  const signs = tag('street sign', 'traffic light', 'parking meter', 'streetcar', 'trolleybus');
  return either(
    count('car', 'truck', 'bus', 'motorcycle') >= MANY ? 0.6 : 0,
    fixtures * (isBusy ? 0.7 : 0.25),
    signs * (isBusy ? 0.7 : 0.3),
    tag('cab', 'minibus') * (count('car', 'bus') > 1 ? 0.5 : 0.15),
    tag(...SHOPS) * object('bicycle', 'car', 'motorcycle') * 0.8,
  );
};

const rateKitchen: RateScene = ({ tag, object }) => {
  const fittings = FITTINGS.map((name) => object(name)).toSorted((a, b) => b - a);
  const [first = 0, second = 0] = fittings;
  return either(
    first * second * 1.2,
    first * object('bowl', 'knife', 'cup', 'bottle', 'potted plant', 'spoon') * 0.7,
    first * tag('stove', 'dishwasher', 'microwave', 'refrigerator', 'plate rack') * 0.9,
  );
};

const rateIndoors: RateScene = (picture) => {
  const { tag, object, exposure } = picture;
  if (isSunlight(picture)) return 0;
  const isDim = exposure !== undefined && exposure >= 2 && exposure <= 8;
  const furniture = FURNITURE.map((name) => object(name) * 0.45);
  return either(...furniture, isDim ? 0.35 : 0, tag(...ROOMS) * 0.75);
};

const rateParty: RateScene = ({ tag, object, count }) => {
  const people = rise(count('person'), 1, MANY + 1);
  const signs = either(
    object('cake') * 0.8,
    tag('balloon', 'candle', 'eggnog', 'goblet') * 0.8,
    object('wine glass') * 0.7,
    count(...DRINKS) >= MANY ? 0.5 : 0,
  );
  return people * signs;
};

const rateBar: RateScene = ({ tag, object, count, words }) => {
  const drinks = rise(count(...DRINKS), 0, MANY) * object(...DRINKS);
  const written = words.some((word) => BAR_WORDS.has(word)) ? 0.5 : 0;
  const places = tag(...BARS);
  const signs = either(drinks * written, drinks * places * 0.9, written * places * 0.6);
  return signs * (count('person') > 0 ? 1 : 0.7);
};

export const PLACES = {
  night: rateNight,
  street: rateStreet,
  kitchen: rateKitchen,
  indoors: rateIndoors,
  party: rateParty,
  bar: rateBar,
} as const satisfies Readonly<Record<string, RateScene>>;
