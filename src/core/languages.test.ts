import { expect, test } from 'bun:test';
import { type Language, pickLanguage } from './languages.ts';

const preferences: [string | null, Language][] = [
  [null, 'en'],
  ['', 'en'],
  ['de', 'de'],
  ['de-CH;q=0.3, pl', 'pl'],
  ['xx, pt-PT;q=0.9, en;q=0.1', 'pt-BR'],
  ['zh-Hant-TW', 'zh-CN'],
  ['FR-ca', 'fr'],
  ['de;q=0, *', 'en'],
  ['de;q=x', 'en'],
  [';;;,,,=', 'en'],
];
for (const [header, language] of preferences) {
  test(`Accept-Language ${String(header)} is served ${language}`, () => {
    expect(pickLanguage(header)).toBe(language);
  });
}
