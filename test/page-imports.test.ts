// What each folder of the page, src/web, may import, including lazy imports, styles and types.
import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const ROOT = join(import.meta.dir, '../src/web');
/** Each layer may import itself and those before it. What lies in no folder of these is the application. */
const LAYERS = ['base', 'ui', 'data', 'parts', 'pages', 'app'] as const;
/** Layers whose folders are rooms of their own, one for each subject. */
const WITH_SUBJECTS = ['data', 'parts', 'pages'];

const SOURCES = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && !/\.(?:test|d)\.tsx?$/.test(file),
);
const IMPORT = /(?:^(?:import|export)\s(?:[^;'"]*?from\s)?|\bimport\(\s*)'(\.[^']+)'/gm;
const IMPORTS = SOURCES.flatMap((file) =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT)]
    .map((match) => ({ file, target: normalize(join(dirname(file), match[1]!)) }))
    .filter(({ target }) => !target.startsWith('..')),
);

function getLayer(file: string): (typeof LAYERS)[number] {
  const [folder = ''] = file.split('/');
  if (folder === 'locales') return 'base';
  return LAYERS.find((layer) => layer === folder) ?? 'app';
}

/** `parts/albums`, or the layer where it has no subjects. */
function getRoom(file: string): string {
  const [folder = '', subject = ''] = file.split('/');
  const layer = getLayer(file);
  const hasSubject = WITH_SUBJECTS.includes(layer) && file.split('/').length > 2;
  return hasSubject ? `${folder}/${subject}` : layer;
}

test('a layer imports itself and those below it', () => {
  const rank = (file: string) => LAYERS.indexOf(getLayer(file));
  const broken = IMPORTS.filter(({ file, target }) => rank(target) > rank(file));
  expect(broken).toEqual([]);
  // The expression still finds imports of each kind.
  const isFound = (from: RegExp, to: RegExp) =>
    IMPORTS.some(({ file, target }) => from.test(file) && to.test(target));
  expect(isFound(/^pages\.tsx$/, /^pages\/albums\/album-page\.tsx$/)).toBe(true);
  expect(isFound(/^pages\/albums\//, /\.module\.css$/)).toBe(true);
});

test('a page knows no other page: what two need is a part', () => {
  const between = IMPORTS.filter(
    ({ file, target }) =>
      getLayer(file) === 'pages' &&
      getLayer(target) === 'pages' &&
      getRoom(file) !== getRoom(target),
  );
  expect(between).toEqual([]);
});

test('no room imports itself through others', () => {
  const below = new Map<string, Set<string>>();
  for (const { file, target } of IMPORTS) {
    const [from, to] = [getRoom(file), getRoom(target)];
    if (from !== to) below.set(from, (below.get(from) ?? new Set()).add(to));
  }
  const reaches = (from: string, wanted: string, seen = new Set<string>()): boolean =>
    [...(below.get(from) ?? [])].some((to) => {
      if (to === wanted) return true;
      if (seen.has(to)) return false;
      seen.add(to);
      return reaches(to, wanted, seen);
    });
  expect([...below.keys()].filter((room) => reaches(room, room))).toEqual([]);
});
