import { expect, test } from 'bun:test';
import {
  type PhotoFilter,
  readPhotoFilter,
  toTimelineFilter,
  writePhotoFilter,
} from './photo-filter.ts';

const ALL: PhotoFilter = {
  type: 'VIDEO',
  isFavorite: true,
  model: 'Camera & One',
  personId: 'p1',
  isByUpload: true,
};

test('a filter is read from the address as it was written', () => {
  for (const filter of [{}, ALL, { type: 'IMAGE' }, { isByUpload: true }] as const) {
    expect(readPhotoFilter(writePhotoFilter(filter))).toEqual(filter);
  }
  expect(writePhotoFilter({})).toBe('');
});

test('what an address says wrongly is left out', () => {
  expect(readPhotoFilter('?type=FILM&order=name&person=')).toEqual({});
});

test('all photos are the timeline with those of partners, and favourites are without them', () => {
  expect(toTimelineFilter({})).toEqual({
    visibility: 'timeline',
    withStacked: true,
    withPartners: true,
  });
  expect(toTimelineFilter(ALL)).toEqual({
    visibility: 'timeline',
    withStacked: true,
    isFavorite: true,
    type: 'VIDEO',
    model: 'Camera & One',
    personId: 'p1',
    orderBy: 'createdAt',
  });
});
