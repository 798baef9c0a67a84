import { expect, test } from 'bun:test';
import { pairFiles } from './pairs.ts';

const file = (name: string, folder = '', bytes = 'x') => {
  const made = new File([bytes], name);
  Object.defineProperty(made, 'webkitRelativePath', { value: folder && `${folder}/${name}` });
  return made;
};
const names = (...files: File[]) =>
  pairFiles(files).map((parts) => parts.map(({ name }) => name).join('+'));

test('a still and a video of one name in one folder are a live photo', () => {
  expect(
    names(
      file('IMG_1.MOV'),
      file('a.png'),
      file('IMG_1.HEIC'),
      file('img_2.jpg'),
      file('IMG_2.mov'),
    ),
  ).toEqual(['a.png', 'IMG_1.HEIC+IMG_1.MOV', 'img_2.jpg+IMG_2.mov']);
});

test('names in other folders, three of a name, films and other kinds are not', () => {
  expect(names(file('IMG_1.HEIC', 'a'), file('IMG_1.MOV', 'b'))).toEqual([
    'IMG_1.HEIC',
    'IMG_1.MOV',
  ]);
  expect(names(file('1.HEIC'), file('1.JPG'), file('1.MOV'))).toEqual(['1.HEIC', '1.JPG', '1.MOV']);
  expect(names(file('1.HEIC'), file('1.mp4'))).toEqual(['1.HEIC', '1.mp4']);
  expect(names(file('1.png'), file('1.mov'))).toEqual(['1.png', '1.mov']);
  const film = file('1.mov', '', 'x'.repeat(33 * 1024 * 1024));
  expect(names(file('1.heic'), film)).toEqual(['1.heic', '1.mov']);
});
