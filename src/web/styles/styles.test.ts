import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const WEB = join(import.meta.dir, '..');
const read = (path: string) => readFileSync(join(WEB, path), 'utf8');
const list = (pattern: string) => [...new Bun.Glob(pattern).scanSync(WEB)].sort();

const sources = list('**/*.{ts,tsx}').filter((path) => !path.endsWith('.test.ts'));
const modules = list('**/*.module.css');

/** The local class names of a module. */
function listClasses(path: string): Set<string> {
  const css = read(path)
    .replace(/\/\*[^]*?\*\//g, '')
    .replace(/url\("[^"]*"\)/g, '')
    .replace(/:global\([^)]*\)/g, '');
  return new Set([...css.matchAll(/\.([a-zA-Z][\w-]*)(?=[^{};]*\{)/g)].map(([, name]) => name!));
}

/** For each module: the classes that sources take from it, `*` where a name is computed. */
function uses(): Map<string, Set<string>> {
  const found = new Map(modules.map((path) => [path, new Set<string>()]));
  for (const path of sources) {
    const text = read(path);
    for (const [, alias, file] of text.matchAll(/import (\w+) from '([^']+\.module\.css)'/g)) {
      const used = found.get(join(dirname(path), file!));
      for (const [, name] of text.matchAll(new RegExp(`(?<![\\w/])${alias}\\.(\\w+)`, 'g'))) {
        used?.add(name!);
      }
      if (text.includes(`${alias}[`)) used?.add('*');
    }
  }
  return found;
}

test('every class that a component takes from a CSS module is defined there', () => {
  const unknown = [...uses()].flatMap(([path, names]) => {
    const defined = listClasses(path);
    return [...names]
      .filter((name) => name !== '*' && !defined.has(name))
      .map((name) => `${path}: ${name}`);
  });
  expect(unknown).toEqual([]);
});

test('every class of a CSS module is used by a component', () => {
  const used = uses();
  const idle = modules.flatMap((path) => {
    const names = used.get(path)!;
    if (names.size === 0) return [`${path} itself`];
    return names.has('*')
      ? []
      : [...listClasses(path)].filter((name) => !names.has(name)).map((name) => `${path}: ${name}`);
  });
  expect(idle).toEqual([]);
});

test('every global class is used by a component', () => {
  const all = sources.map(read).join('\n');
  const classes = ['styles/base.css', 'styles/elements.css'].flatMap((path) => [
    ...listClasses(path),
  ]);
  expect(classes.filter((name) => !new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(all))).toEqual(
    [],
  );
});

test('every animation of a CSS module finds its keyframes', () => {
  // With var() beside it, the bundler leaves the name as it is, but renames the module's keyframes.
  const faults = modules.flatMap((path) => {
    const css = read(path);
    const own = [...css.matchAll(/@keyframes (\w+)/g)].map(([, name]) => name!);
    const values = [...css.matchAll(/\banimation:([^;]*);/g)].map(([, value]) => value!);
    const uses = (name: string) => values.filter((value) => value.split(/\s+/).includes(name));
    return [
      ...own.filter((name) => uses(name).length === 0 || uses(name).join().includes('var(')),
      ...values.filter((value) => value.includes('var(') && !value.includes('rise')),
    ].map((fault) => `${path}: ${fault}`);
  });
  expect(read('styles/elements.css')).toContain('@keyframes rise');
  expect(faults).toEqual([]);
});
