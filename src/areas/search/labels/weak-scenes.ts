import { BOTTOM, ALL, getDarkShare, getShare, getSkyShare, getWaterShare } from './scene-layout.ts';
import { isDaylight, type RateScene, rise } from './scene-signals.ts';
import { BUILDINGS, SHOPS } from './places.ts';

// Signs that are right more often than not for who looks for a scene, but no reason to claim one.

const rateSea: RateScene = ({ tag, object, layout }) => {
  const blue = Math.max(
    rise(getShare(layout, BOTTOM, 'blue'), 0.3, 0.6),
    rise(getWaterShare(layout), 0.15, 0.4),
  );
  return Math.max(blue * 0.5, tag('lakeside', 'pier') * 0.5, object('boat', 'surfboard') * 0.4);
};

const rateMeadow: RateScene = ({ layout, object }) =>
  rise(getShare(layout, BOTTOM, 'green'), 0.3, 0.6) *
  Math.max(0.3 + 0.3 * getSkyShare(layout), object('cow', 'sheep', 'horse') * 0.5);

const rateStreet: RateScene = ({ tag, object, count }) =>
  Math.max(
    object('car', 'bus', 'truck', 'motorcycle') * (count('person') > 0 ? 0.5 : 0.35),
    object('traffic light', 'stop sign', 'parking meter', 'fire hydrant') * 0.5,
    tag(...SHOPS) * 0.5,
    tag(...BUILDINGS, 'streetcar', 'minibus') * 0.4,
  );

/** A dark picture may have been taken at night, unless the exposure or the sun says daylight. */
const rateNight: RateScene = (picture) =>
  isDaylight(picture) ? 0 : rise(getDarkShare(picture.layout, ALL, 0.25), 0.4, 0.7) * 0.4;

export const WEAK_RATES: Readonly<Record<string, RateScene>> = {
  sea: rateSea,
  meadow: rateMeadow,
  street: rateStreet,
  night: rateNight,
};
