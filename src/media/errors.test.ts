import { expect, test } from 'bun:test';
import { withoutFolders } from './errors.ts';

test.each([
  ['ffmpeg: /data/originals/ab/cd/abcd: Invalid data', 'ffmpeg: abcd: Invalid data'],
  ["unable to open '/mnt/My Photos/Ångström/a b.jpg'", "unable to open 'a b.jpg'"],
  ['file:/srv/x/y.mp4: moov atom not found', 'file:y.mp4: moov atom not found'],
  ['(/srv/x/y.mp4): bad, /srv/z/: worse', '(y.mp4): bad, : worse'],
  ['first line\n/a/b/c', 'first line\nc'],
  ['24/7 frames, 30000/1001 fps, image/jpeg', '24/7 frames, 30000/1001 fps, image/jpeg'],
])('%j names no folder', (message, expected) => {
  expect(withoutFolders(message)).toBe(expected);
});
