import { expect, test } from 'bun:test';
import { parsePhotoPath } from './viewer-frame.tsx';

const ID = '0198a1b2-0000-7000-8000-000000000001';

test('the page below a photo is the part of its address before the photo', () => {
  expect(parsePhotoPath(`/photos/${ID}`)).toEqual({ id: ID, base: '/photos' });
  expect(parsePhotoPath(`/albums/a/photos/${ID}`)).toEqual({ id: ID, base: '/albums/a' });
  for (const path of ['/photos', '/photos/', '/albums/a', `/people/${ID}`, `/photos/${ID}/x`]) {
    expect(parsePhotoPath(path)).toBeUndefined();
  }
});
