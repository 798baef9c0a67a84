import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage';
import { listMessages, readSources, WEB } from '../../../native/messages.ts';
import { languages, matchLanguage, t } from './i18n.ts';

type Catalogue = Record<string, string>;
const messages = listMessages();
const catalogues: [string, Catalogue][] = [
  ['en', Object.fromEntries(messages.map((message) => [message, message]))],
  ...[...new Bun.Glob('*.json').scanSync(join(WEB, 'locales'))].map((file): [string, Catalogue] => [
    file.replace('.json', ''),
    JSON.parse(readFileSync(join(WEB, 'locales', file), 'utf8')) as Catalogue,
  ]),
];

/** The placeholders of a message, with the kind of each: `count plural`. */
function listPlaceholders(message: string): string[] {
  const found = new Set<string>();
  const walk = (parts: unknown): void => {
    if (!Array.isArray(parts)) return;
    for (const part of parts as unknown[]) {
      if (!Array.isArray(part)) continue;
      const [name, type, format] = part as [string, string | undefined, unknown];
      if (name !== '#') found.add(type ? `${name} ${type}` : name);
      if (format && typeof format === 'object') for (const one of Object.values(format)) walk(one);
    }
  };
  walk(compileMessageOrThrow(message));
  return [...found].sort();
}

test('the page offers a language for each catalogue', () => {
  expect(languages.map(({ code }) => code).sort()).toEqual(catalogues.map(([code]) => code).sort());
});

test.each(catalogues)('%s has each message of the page, and no other', (_, catalogue) => {
  expect(Object.keys(catalogue).sort()).toEqual(messages.toSorted());
});

test.each(catalogues)('%s has the placeholders of the English messages', (code, catalogue) => {
  const { pluralCategories } = new Intl.PluralRules(code).resolvedOptions();
  for (const [message, text] of Object.entries(catalogue)) {
    expect([message, listPlaceholders(text)]).toEqual([message, listPlaceholders(message)]);
    expect(text.trim()).not.toBe('');
    if (!text.includes(', plural,')) continue;
    const forms = new Set([...text.matchAll(/(\w+) \{/g)].map(([, form]) => form!));
    // A number that is counted in photos is never a fraction, nor 1,000,000 in most texts.
    const needed = pluralCategories.filter((form) => form !== 'many' || code === 'pl');
    expect([message, needed.filter((form) => !forms.has(form))]).toEqual([message, []]);
  }
});

test('no text of the page is written outside of the catalogues', () => {
  const attribute =
    /\s(?:aria-label|title|placeholder|label|text|hint|action|alt)="[^"]*[A-Za-z]{2}/;
  const jsxText = />\s*(?:[A-Z][a-z]+|[a-z]+ [a-z]+)[^<>{}=;()]*<\//;
  const found = [...readSources()].flatMap(([path, text]) =>
    !path.endsWith('.tsx')
      ? []
      : [attribute, jsxText].flatMap((pattern) => {
          const match = pattern.exec(text.replaceAll('<span>Safelight</span>', ''));
          return match ? [`${path}: ${match[0].trim()}`] : [];
        }),
  );
  expect(found).toEqual([]);
});

test('a count takes the form of the language', () => {
  const message = '{count, plural, one {# item} other {# items}}';
  expect(t(message, { count: 1 })).toBe('1 item');
  expect(t(message, { count: 0 })).toBe('0 items');
});

test('the first wanted language that the page has is chosen, of any region', () => {
  const known = ['en', 'de', 'pt-BR', 'zh-CN'];
  expect(matchLanguage(['de-AT', 'en'], known)).toBe('de');
  expect(matchLanguage(['pt-PT'], known)).toBe('pt-BR');
  expect(matchLanguage(['zh-cn'], known)).toBe('zh-CN');
  expect(matchLanguage(['sv', 'en-GB'], known)).toBe('en');
  expect(matchLanguage([], known)).toBe('en');
});
