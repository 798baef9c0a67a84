import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

// Tests that cannot fail, and helpers that no test needs.

const ROOT = join(import.meta.dir, '..');
const FILES = ['src', 'workers', 'native', 'appliance', 'test'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((file) => /\.tsx?$/.test(file)),
);
const TEXTS = new Map(
  await Promise.all(
    FILES.map(async (file) => [file, await Bun.file(join(ROOT, file)).text()] as const),
  ),
);

const EXPORT = /^export (?:async )?(?:function\*?|const|let|class) (\w+)/gm;

test('every helper that is exported is used in another file', () => {
  const users = new Map<string, number>();
  for (const text of TEXTS.values()) {
    for (const word of new Set(text.match(/\w+/g))) users.set(word, (users.get(word) ?? 0) + 1);
  }
  const unused: string[] = [];
  for (const [file, text] of TEXTS) {
    if (!file.startsWith('test/')) continue;
    for (const [, name] of text.matchAll(EXPORT)) {
      if (users.get(name!) === 1) unused.push(`${file}: ${name}`);
    }
  }
  expect(unused).toEqual([]);
});

/** Returns the lines of assertions about a promise that are not awaited. */
function listUnawaited(text: string): number[] {
  const lines: number[] = [];
  for (const { index } of text.matchAll(/\)(?:\.not)?\.(?:rejects|resolves)\b/g)) {
    let [at, depth] = [index, 0];
    do depth += { ')': 1, '(': -1 }[text[at]!] ?? 0;
    while (depth > 0 && at-- > 0);
    const start = text.slice(0, at);
    if (!/\bawait\s+expect$/.test(start)) lines.push(start.split('\n').length);
  }
  return lines;
}

test('what is expected of a promise is awaited', () => {
  expect(
    listUnawaited('await expect(f(a)).rejects.toThrow();\nexpect(\n  b,\n).not.resolves'),
  ).toEqual([2]);
  const found = [...TEXTS].flatMap(([file, text]) =>
    file === 'test/test-files.test.ts' ? [] : listUnawaited(text).map((line) => `${file}:${line}`),
  );
  expect(found).toEqual([]);
});

/** Returns the lines that leave a test out, or print. Scripts for other processes are texts. */
function listLeftOut(source: string): number[] {
  const code = source.replaceAll(
    /`(?:\\.|[^`\\])*`|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/gs,
    (text) => text.replaceAll(/[^\n]/g, ' '),
  );
  const found = code.matchAll(
    /\b(?:test|describe|it)\.(?:if|skip|skipIf|todo|todoIf|only)\b|\bconsole\.(?:info|log|warn)\b/g,
  );
  return [...found].map(({ index }) => code.slice(0, index).split('\n').length);
}

test('a test is left out by its requirements only, which tell the runner why, and prints nothing', () => {
  expect(listLeftOut("test.skip('a');\nrun(`\nconsole.log(1)`);\nconsole.warn('none');")).toEqual([
    1, 4,
  ]);
  const found = [...TEXTS].flatMap(([file, text]) =>
    /\.test\.tsx?$/.test(file) && file !== 'test/test-files.test.ts'
      ? listLeftOut(text).map((line) => `${file}:${line}`)
      : [],
  );
  expect(found).toEqual([]);
});
