import { beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useCommandLibrary } from '../../test/support/command-library.ts';

// Backups with originals, beside a database that runs. `restore.test.ts` proves them.
setDefaultTimeout(300_000);

const { folder, dataDir, paths, safelight, addOriginal } = useCommandLibrary();
let target: string;
beforeEach(() => {
  target = mkdtempSync(join(folder, 'target-'));
});

const backUp = () => safelight('maintenance', 'backup', '--to', target);

const toCopy = (path: string) => path.replace(dataDir, target);
const getSummary = (out: string) => /^copied .*$/m.exec(out)?.[0];

test('a backup copies the originals that the folder lacks, and profile pictures', async () => {
  const [one, two] = [await addOriginal('one'), await addOriginal('two')];
  mkdirSync(paths.profiles, { recursive: true });
  writeFileSync(join(paths.profiles, 'ada.webp'), 'picture');
  const first = await backUp();
  expect([first.code, first.err]).toEqual([0, '']);
  expect(getSummary(first.out)).toBe('copied 2 originals, 0 were there, 0 are bad');
  expect([one, two].map((path) => readFileSync(toCopy(path), 'utf8'))).toEqual(['one', 'two']);
  expect(readFileSync(join(target, 'profiles/ada.webp'), 'utf8')).toBe('picture');
  const before = statSync(toCopy(one)).ctimeMs;

  await addOriginal('three');
  writeFileSync(`${toCopy(two)}.partial`, 'of a backup that was killed');
  rmSync(toCopy(two));
  expect(getSummary((await backUp()).out)).toBe('copied 2 originals, 1 were there, 0 are bad');
  expect(readFileSync(toCopy(two), 'utf8')).toBe('two');
  expect(statSync(toCopy(one)).ctimeMs).toBe(before);
  rmSync(one);
  expect(readFileSync(toCopy(one), 'utf8')).toBe('one');
});

test('a damaged or missing original is reported and not copied, and the others are', async () => {
  const [good, damaged, missing] = [
    await addOriginal('good'),
    await addOriginal('right'),
    await addOriginal('gone'),
  ];
  writeFileSync(damaged, 'wrong');
  rmSync(missing);
  const { code, out } = await backUp();
  expect([code, getSummary(out)]).toEqual([1, 'copied 1 originals, 0 were there, 2 are bad']);
  expect(out).toContain(`missing or damaged: ${damaged}`);
  expect(readFileSync(toCopy(good), 'utf8')).toBe('good');
  expect(
    [damaged, missing].filter((path) => statSync(toCopy(path), { throwIfNoEntry: false })),
  ).toEqual([]);
});

test('a backup into the data folder is refused', async () => {
  const inside = join(dataDir, 'copies');
  const { code, err } = await safelight('maintenance', 'backup', '--to', inside);
  expect([code, err]).toEqual([2, expect.stringContaining('outside the data folder')]);
});
