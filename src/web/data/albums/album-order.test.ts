import { expect, test } from 'bun:test';
import type { Album } from '../types.ts';
import { getAlbumLevel, getNameBelow, sortAlbums } from './album-order.ts';

const album = (albumName: string, values: Partial<Album> = {}): Album => ({
  id: albumName,
  albumName,
  description: '',
  albumThumbnailAssetId: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  albumUsers: [],
  shared: false,
  hasSharedLink: false,
  isActivityEnabled: true,
  assetCount: 0,
  ...values,
});
const toNames = (albums: readonly Album[]) => albums.map(({ albumName }) => albumName);

test('albums are sorted by their photos, titles, changes and sizes', () => {
  const albums = [
    album('Trip 10', { startDate: '2020-05-01', endDate: '2024-01-01', assetCount: 3 }),
    album('Trip 9', { startDate: '2021-05-01', endDate: '2021-06-01', updatedAt: '2026-02-01' }),
    album('New', { assetCount: 1 }),
  ];
  const sorted = (order: Parameters<typeof sortAlbums>[1]) => toNames(sortAlbums(albums, order));
  expect(sorted('newest')).toEqual(['New', 'Trip 10', 'Trip 9']);
  expect(sorted('oldest')).toEqual(['Trip 10', 'Trip 9', 'New']);
  expect(sorted('title')).toEqual(['New', 'Trip 9', 'Trip 10']);
  expect(sorted('changed')[0]).toBe('Trip 9');
  expect(sorted('largest')).toEqual(['Trip 10', 'New', 'Trip 9']);
});

test('names with slashes form groups, at every level, and nothing is lost or shown twice', () => {
  const albums = [
    'Trips/Norway/Oslo',
    'Trips/Norway/Bergen',
    'Trips',
    'Trips / Iceland',
    'Family',
    'Work/Fair',
    'A/',
    '/',
  ].map((name) => album(name));
  const top = getAlbumLevel(albums, '');
  expect(top.groups.map(({ path, albums: all }) => [path, all.length])).toEqual([['Trips', 4]]);
  expect(toNames(top.albums)).toEqual(['Family', 'Work/Fair', 'A/', '/']);
  const trips = getAlbumLevel(albums, 'Trips');
  expect(trips.groups.map(({ path }) => path)).toEqual(['Trips/Norway']);
  expect(toNames(trips.albums)).toEqual(['Trips', 'Trips / Iceland']);
  const norway = getAlbumLevel(albums, 'Trips/Norway');
  expect(norway.groups).toEqual([]);
  expect(toNames(norway.albums)).toEqual(['Trips/Norway/Oslo', 'Trips/Norway/Bergen']);
  expect(getAlbumLevel(albums, 'Nowhere')).toEqual({ groups: [], albums: [] });
});

test('within a group a name leaves the path out, but not that of the group itself', () => {
  expect(getNameBelow('Trips / Norway', 'Trips')).toBe('Norway');
  expect(getNameBelow('Trips', 'Trips')).toBe('Trips');
  expect(getNameBelow('Trips/Norway', '')).toBe('Trips/Norway');
  expect(getNameBelow('Tripsy/Norway', 'Trips')).toBe('Tripsy/Norway');
});
