import { expect, test } from 'bun:test';
import { toCreationHeaders } from './upload-headers.ts';

const create = (size: number) =>
  toCreationHeaders({
    file: { name: 'a/film.mp4', size, lastModified: 0 },
    sha256: 'abc=',
    mediaType: 'video/mp4',
  });

test('announces the length of a file up to 2 GiB, and leaves it out for a larger one', () => {
  expect(create(2 ** 31)).toEqual({
    'upload-draft-interop-version': '9',
    'content-type': 'video/mp4',
    'upload-complete': '?0',
    'upload-length': '2147483648',
    'repr-digest': 'sha-256=:abc=:',
    'asset-metadata': expect.any(String),
  });
  for (const size of [2 ** 31 + 1, 5e9, 2 ** 35]) {
    const headers = create(size);
    expect(headers).not.toHaveProperty('upload-length');
    expect(headers['upload-complete']).toBe('?0');
  }
});
