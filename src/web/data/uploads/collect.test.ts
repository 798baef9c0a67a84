import { expect, test } from 'bun:test';
import { filesOfDrop, getFolder, isWorthSending } from './collect.ts';

const fileEntry = (fullPath: string): FileSystemEntry => {
  const name = fullPath.slice(fullPath.lastIndexOf('/') + 1);
  const entry = { isFile: true, isDirectory: false, name, fullPath };
  const file = (done: (file: File) => void) => done(new File(['x'], name));
  return { ...entry, file } as unknown as FileSystemEntry;
};

/** A browser hands out some children at a time, and an empty list at the end. */
function folderEntry(fullPath: string, children: readonly FileSystemEntry[]): FileSystemEntry {
  const left = [...children];
  const readEntries = (done: (some: FileSystemEntry[]) => void) => done(left.splice(0, 2));
  const entry = {
    isFile: false,
    isDirectory: true,
    fullPath,
    createReader: () => ({ readEntries }),
  };
  return entry as unknown as FileSystemEntry;
}

const drop = (entries: readonly (FileSystemEntry | null)[], files: readonly File[] = []) =>
  filesOfDrop({
    items: entries.map((entry) => ({ webkitGetAsEntry: () => entry })),
    files,
  } as unknown as DataTransfer);

test('folders are opened, however many files they have, and each file knows its folder', async () => {
  const inner = folderEntry('/Italy/2023', [fileEntry('/Italy/2023/d.jpg')]);
  const many = ['a', 'b', 'c'].map((name) => fileEntry(`/Italy/${name}.jpg`));
  const found = await drop([folderEntry('/Italy', [...many, inner]), fileEntry('/e.jpg')]);
  const places = found.map((file) => `${getFolder(file)}|${file.name}`).toSorted();
  expect(places).toEqual([
    '/Italy/2023|d.jpg',
    '/Italy|a.jpg',
    '/Italy|b.jpg',
    '/Italy|c.jpg',
    '|e.jpg',
  ]);
});

test('a drop of text has no files, and a browser without entries gives its files', async () => {
  const file = new File(['x'], 'a.jpg');
  expect(await drop([null])).toEqual([]);
  expect(await drop([null], [file])).toEqual([file]);
});

test('a folder that cannot be read is told, not taken for an empty one', async () => {
  const readEntries = (_done: unknown, fail: (error: Error) => void) =>
    fail(new Error('NotReadable'));
  const locked = { isFile: false, isDirectory: true, createReader: () => ({ readEntries }) };
  expect(
    await drop([locked as unknown as FileSystemEntry]).catch((error: Error) => error.message),
  ).toBe('NotReadable');
});

const chosen = (webkitRelativePath: string): File => {
  const file = new File([''], webkitRelativePath.slice(webkitRelativePath.lastIndexOf('/') + 1));
  Object.defineProperty(file, 'webkitRelativePath', { value: webkitRelativePath });
  return file;
};

test.each([
  ['Italy/a.jpg', true],
  ['Italy/a.xmp', true],
  ['Italy/empty', true],
  ['Italy/.DS_Store', false],
  ['Italy/._a.jpg', false],
  ['Italy/Thumbs.db', false],
  ['Italy/a.jpg.json', false],
  ['Italy/IMG_1.AAE', false],
])('of a chosen folder, %p is sent: %p', (path, isSent) => {
  expect(isWorthSending(chosen(path))).toBe(isSent);
  expect(getFolder(chosen(path))).toBe('Italy');
});

test('what was chosen by itself is sent, so that the person is told why it is refused', () => {
  const note = new File(['{}'], 'notes.json');
  Object.defineProperty(note, 'webkitRelativePath', { value: '' });
  expect(isWorthSending(note)).toBe(true);
});
