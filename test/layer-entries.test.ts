import { expect, test } from 'bun:test';
import { EMPTY_ENTRIES, listEntries, UNOPENED } from './e2e/layer-entries.ts';

// A dialog, a menu, a toast or an empty state that `page-dialogs.test.ts` does not open is looked at by nobody.

const WEB = `${import.meta.dir}/../src/web`;
const USES = /<(Dialog|Confirm|Empty|Menu|dialog)\s/g;

/** Returns the expression of an attribute, from its brace to the one that ends it. */
function readExpression(source: string, from: number): string {
  let depth = 0;
  for (let at = from; at < source.length; at++) {
    if (source[at] === '{') depth++;
    if (source[at] === '}' && --depth === 0) return source.slice(from + 1, at).trim();
  }
  return '';
}

/** Lists the uses in a source as "file: title"; as "file", where the title is computed. */
function listUses(path: string, source: string): string[] {
  const toasts = source.includes('data-part="toast"') ? [path] : [];
  const uses = [...source.matchAll(USES)].flatMap(({ 1: component, index }) => {
    // The components themselves pass the title on.
    if (path === 'ui/dialog.tsx' || path === 'ui/menu.tsx') return [];
    const attribute =
      component === 'Menu' ? 'label={' : component === 'dialog' ? 'aria-label={' : 'title={';
    const at = source.indexOf(attribute, index);
    const expression = readExpression(source, at + attribute.length - 1);
    const literal = /^t\(\s*'([^']+)'/.exec(expression)?.[1];
    return [literal === undefined ? path : `${path}: ${literal}`];
  });
  return [...toasts, ...uses];
}

const entries = [...listEntries(['/photos', '/photos/1', '/albums/1']), ...EMPTY_ENTRIES];
const opened = new Set(entries.flatMap(({ of, title }) => [of, `${of}: ${title}`]));
const sources = [...new Bun.Glob('**/*.tsx').scanSync(WEB)].filter(
  (path) => !path.includes('.test.'),
);
const texts = await Promise.all(sources.map((path) => Bun.file(`${WEB}/${path}`).text()));
const uses = sources.flatMap((path, at) => listUses(path, texts[at]!));

test('every dialog, menu, toast and empty state is looked at, or it is said why not', () => {
  expect(uses).toContain('pages/albums/cover-dialog.tsx: Choose cover');
  expect(uses.filter((use) => !opened.has(use) && !(use in UNOPENED)).sort()).toEqual([]);
});

test('what is said not to be looked at is in the page, and is not looked at', () => {
  expect(Object.keys(UNOPENED).filter((use) => !uses.includes(use) || opened.has(use))).toEqual([]);
});

test('what is looked at is in the page', () => {
  const files = new Set(uses.map((use) => use.split(':')[0]));
  expect(entries.map(({ of }) => of).filter((of) => !files.has(of))).toEqual([]);
});
