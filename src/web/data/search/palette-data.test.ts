import { expect, test } from 'bun:test';
import { filterByText, toNamePath } from './names.ts';

const labels = (text: string, ...all: string[]) =>
  filterByText(
    all.map((label) => ({ label })),
    text,
  ).map(({ label }) => label);

test('pages are found by beginnings of their words, without regard to case and accents', () => {
  const all = ['Server settings', 'Settings', 'Étiquettes', 'Updates & backups', '設定'];
  expect(labels('set', ...all)).toEqual(['Settings', 'Server settings']);
  expect(labels('ser SET', ...all)).toEqual(['Server settings']);
  expect(labels('etiq', ...all)).toEqual(['Étiquettes']);
  expect(labels('定', ...all)).toEqual(['設定']);
  expect(labels('ttings', ...all)).toEqual([]);
  expect(labels('', ...all)).toEqual(all);
});

test('a name leads to its page, and to a search where it has none', () => {
  expect(toNamePath({ kind: 'album', label: 'Zoo', id: '1', text: 'album Zoo' })).toBe('/albums/1');
  expect(toNamePath({ kind: 'person', label: 'Zoe', id: '2', text: 'Zoe' })).toBe('/people/2');
  expect(toNamePath({ kind: 'place', label: 'Rome', text: 'Rome' })).toBe('/search?q=Rome');
});
