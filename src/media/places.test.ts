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

test.each([
  ['Montmartre', 48.8867, 2.3431, 'Paris'],
  ['Belleville', 48.8722, 2.385, 'Paris'],
  ['Prospect Park in Brooklyn', 40.6602, -73.969, 'New York City'],
  ['Astoria in Queens', 40.7644, -73.9235, 'New York City'],
  ['Coyoacán', 19.35, -99.162, 'Mexico City'],
  ['Kadıköy', 40.9903, 29.0205, 'Istanbul'],
  ['Fushimi Inari', 34.9671, 135.7727, 'Kyoto'],
  ['Ehrenfeld', 50.948, 6.918, 'Köln'],
  ['Copacabana', -22.9711, -43.1823, 'Rio de Janeiro'],
] as const)('%s is in the large town that it is a part of', (_, latitude, longitude, town) => {
  expect(at(latitude, longitude)?.[0]).toBe(town);
});

test.each([
  ['Versailles', 48.8049, 2.1204],
  ['Boulogne-Billancourt', 48.8352, 2.241],
  ['Saint-Denis', 48.9354, 2.3597],
  ['Potsdam', 52.4042, 13.0385],
  ['Pasadena', 34.1478, -118.1445],
  ['Santa Monica', 34.01, -118.4962],
  ['Oakland', 37.8044, -122.2583],
  ['Berkeley', 37.8719, -122.2585],
  ['Cambridge', 42.3736, -71.119],
  ['Uji', 34.8893, 135.8077],
  ['Yokohama', 35.4437, 139.638],
  ['Mestre', 45.4935, 12.2459],
  ['Murano', 45.4585, 12.3567],
  ['Hürth', 50.8775, 6.876],
  ['Fürth', 49.4774, 10.9886],
  ['Badalona', 41.45, 2.2474],
  ['Villeurbanne', 45.7719, 4.8902],
  ['Solna', 59.36, 18],
  // Beyond the border of a state from a town that reaches over them.
  ['Hoboken', 40.744, -74.0324],
  ['Jersey City', 40.7282, -74.0776],
  ['Bang Kruai', 13.805, 100.4728],
] as const)('%s is a town of its own beside a larger one', (town, latitude, longitude) => {
  expect(at(latitude, longitude)?.[0]).toBe(town);
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
