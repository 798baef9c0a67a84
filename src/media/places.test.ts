import { expect, test } from 'bun:test';
import { getGeocoder } from './places.ts';

const geocoder = await getGeocoder();
const at = (latitude: number, longitude: number) => {
  const place = geocoder.reverse(latitude, longitude);
  return place && [place.city, place.state, place.country];
};

test('a sight is in the town that people would name, not in its nearest suburb', () => {
  expect(at(48.8584, 2.2945)).toEqual(['Paris', 'Île-de-France', 'France']);
  expect(at(40.758, -73.9855)).toEqual(['New York City', 'New York', 'United States of America']);
  expect(at(35.6595, 139.7005)).toEqual(['Tokyo', 'Tokyo', 'Japan']);
  expect(at(-33.8568, 151.2153)).toEqual(['Sydney', 'New South Wales', 'Australia']);
});

test('a place is in its country, however near a town across the border', () => {
  expect(at(48.5725, 7.8153)?.slice(0, 1)).toEqual(['Kehl']);
  expect(at(48.5734, 7.7521)).toEqual(['Strasbourg', 'Grand Est', 'France']);
  expect(at(31.7619, -106.485)?.[2]).toBe('United States of America');
  expect(at(31.69, -106.4245)?.[2]).toBe('Mexico');
  expect(at(43.7384, 7.4246)?.[2]).toBe('Monaco');
});

test('territories have their own name', () => {
  expect(at(22.2819, 114.1582)?.[2]).toBe('Hong Kong');
  expect(at(18.4655, -66.1057)?.[2]).toBe('Puerto Rico');
});

test('at sea there is no place', () => {
  for (const [latitude, longitude] of [
    [0, 0],
    [0, -140],
    [45, -30],
    [-50, 100],
  ] as const)
    expect(at(latitude, longitude)).toBeUndefined();
});

test('far from towns there is a country and no town', () => {
  expect(at(23.5, 5.5)).toEqual([undefined, expect.any(String), 'Algeria']);
  expect(at(-80, 20)).toEqual([undefined, undefined, 'Antarctica']);
});

test('the edges of the map and invalid coordinates do not crash', () => {
  expect(at(-16.8, -179.99)?.[2]).toBe('Fiji');
  expect(at(-16.8, 179.99)?.[2]).toBe('Fiji');
  for (const [latitude, longitude] of [
    [90, 0],
    [-90, 180],
    [NaN, 1],
    [1, Infinity],
  ] as const)
    expect(() => at(latitude, longitude)).not.toThrow();
});
