import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setupI18n } from '@lingui/core';
import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage';
import { WEB } from './messages.ts';
import { buildWebFiles } from './web-files.ts';
import { compileCatalogue, readEnglish } from './catalogues.ts';

const codes = [...new Bun.Glob('*').scanSync(join(WEB, 'locales'))].map(
  (file) => file.split('.')[0]!,
);
const read = (code: string): Readonly<Record<string, string>> =>
  code === 'en'
    ? readEnglish()
    : JSON.parse(readFileSync(join(WEB, 'locales', `${code}.json`), 'utf8'));

/** Values for every placeholder: a count, or what a text would say. */
const values = (count: number) => new Proxy({}, { get: () => count, getOwnPropertyDescriptor });
const getOwnPropertyDescriptor = () => ({ configurable: true, enumerable: true, value: 0 });

test.each(codes)('compiled messages of %s read as messages that are parsed when shown', (code) => {
  const catalogue = read(code);
  const compiled = setupI18n({ locale: code, messages: { [code]: compileCatalogue(catalogue) } });
  compiled.setMessagesCompiler((text) => [text]);
  const parsed = setupI18n({ locale: code, messages: { [code]: catalogue } });
  parsed.setMessagesCompiler(compileMessageOrThrow);
  for (const count of [0, 1, 2, 5, 1234]) {
    for (const id of Object.keys(catalogue)) {
      expect(compiled._(id, values(count))).toBe(parsed._(id, values(count)));
    }
  }
});

test('leaves out texts that are their own id, and refuses a malformed message', () => {
  expect(compileCatalogue({ Photos: 'Photos', Trash: 'Papierkorb', '{n}': '{n}' })).toEqual({
    Trash: 'Papierkorb',
    '{n}': [['n']],
  });
  expect(() => compileCatalogue({ a: '{n, plural, one {' })).toThrow();
});

test('the page has a compiled catalogue for each language and no parser of messages', async () => {
  const scripts = new Map(
    (await buildWebFiles())
      .filter(({ path }) => path.startsWith('/assets/') && path.endsWith('.js'))
      .map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]),
  );
  for (const code of codes) {
    const [path, text] = [...scripts].find(([name]) => name.startsWith(`/assets/${code}-`))!;
    expect([path, text.includes(', plural,')]).toEqual([path, true]);
  }
  // A word of the parser's error messages.
  const withParser = [...scripts].filter(([, text]) => text.includes('pluralOffset'));
  expect(withParser.map(([path]) => path)).toEqual([]);
});
