import { expect, test } from 'bun:test';
import { sortSidecars } from './sidecars.ts';

const file = (path: string) => {
  const made = new File(['x'], path.slice(path.lastIndexOf('/') + 1));
  Object.defineProperty(made, 'webkitRelativePath', { value: path.includes('/') ? path : '' });
  return made;
};

/** Names the media with their sidecars, and the sidecars of nothing. */
function sort(...paths: string[]) {
  const { media, sidecars, orphans } = sortSidecars(paths.map(file));
  const toText = (one: File) => [one.name, sidecars.get(one)?.name].filter(Boolean).join('+');
  return { media: media.map(toText), orphans: orphans.map(({ name }) => name) };
}

test('an XMP file goes with the photo of its name, with or without the ending', () => {
  expect(sort('a.XMP', 'a.jpg', 'B.jpg.xmp', 'b.jpg', 'c.jpg')).toEqual({
    media: ['a.jpg+a.XMP', 'b.jpg+B.jpg.xmp', 'c.jpg'],
    orphans: [],
  });
});

test('the whole name goes before its stem, which photos of one name share', () => {
  expect(sort('a.jpg', 'a.dng', 'a.xmp', 'a.jpg.xmp').media).toEqual([
    'a.jpg+a.jpg.xmp',
    'a.dng+a.xmp',
  ]);
  expect(sort('a.jpg', 'a.dng', 'a.xmp').media).toEqual(['a.jpg+a.xmp', 'a.dng+a.xmp']);
});

test('the XMP file of a photo is not that of the video beside it', () => {
  expect(sort('a.heic', 'a.mov', 'a.xmp').media).toEqual(['a.heic+a.xmp', 'a.mov']);
  expect(sort('a.mov', 'a.xmp').media).toEqual(['a.mov+a.xmp']);
});

test('XMP files beside nothing, and of other folders, belong to no photo', () => {
  expect(sort('trip/a.jpg', 'home/a.xmp', 'b.xmp')).toEqual({
    media: ['a.jpg'],
    orphans: ['a.xmp', 'b.xmp'],
  });
});
