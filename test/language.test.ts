import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { listMessages } from '../native/messages.ts';

// The part of our language that a machine can check: names and comments as a stranger expects them.

const ROOT = join(import.meta.dir, '..');
const FILES = ['src', 'workers', 'native', 'migrations', 'test'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((file) => /\.(tsx?|sql|c|css)$/.test(file)),
);

/** `file:line: text` of every line that matches. */
async function findLines(files: readonly string[], pattern: RegExp): Promise<string[]> {
  const found: string[] = [];
  for (const file of files) {
    const lines = (await Bun.file(join(ROOT, file)).text()).split('\n');
    lines.forEach((line, index) => {
      if (pattern.test(line)) found.push(`${file}:${index + 1}: ${line.trim()}`);
    });
  }
  return found;
}

test('no exported name ends in "Of": getX, toX, computeX or listX say what it does', async () => {
  const exported = /^export (?:default )?(?:async )?(?:function\*?|const|let|class|type) (\w+Of)\b/;
  const sources = FILES.filter((file) => /\.tsx?$/.test(file));
  expect(await findLines(sources, exported)).toEqual([]);
});

/** Turns of phrase that stand for a term which people know: see "Words of the page" in development.md. */
const DIALECT =
  /\b(?:anew|of the house|of the cut|the cut|most fitting|narrow down|written down|taken back|taken off|no name yet|without a name|as it was taken|nobody gets|gets in by|was decided|least certainty|tells? of|is looked at|looks like nobody)\b/i;

const BRITISH =
  /favourite|colour|\bgrey\b|analys(?:ed?|ing)\b|recognis|(?<!\{)licence|cancell(?:ed|ing)|e-mail/i;

test('the messages of the page use the terms of the field', () => {
  expect(listMessages().filter((text) => DIALECT.test(text))).toEqual([]);
  expect(DIALECT.test('Moves everything, to begin anew.')).toBe(true);
});

test('the English texts of the page are spelled as in America', () => {
  expect(listMessages().filter((text) => BRITISH.test(text))).toEqual([]);
  expect(BRITISH.test('Analysing photos')).toBe(true);
});
