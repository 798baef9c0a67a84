import { expect, test } from 'bun:test';
import { listMethods, listTemplates } from '../../../areas/workflows/plugins/plugins.domain.ts';
import { type Config, getFieldKind, listProperties, type SchemaNode } from './schema.ts';
import * as words from './words.ts';

const catalogue = listMethods({});
const find = (name: string) => words.findMethod(catalogue, `immich-plugin-core#${name}`)!;
const summarize = (name: string, config: Config | null) =>
  words.summarizeConfig(catalogue, `immich-plugin-core#${name}`, config);

test('a configuration is one line of what somebody has chosen', () => {
  const file = { pattern: 'IMG', matchType: 'startsWith', caseSensitive: true };
  expect(summarize('assetFileFilter', file)).toBe('“IMG”, begins with, Match case');
  expect(summarize('assetTypeFilter', { allowedTypes: ['IMAGE', 'VIDEO'] })).toBe('Photos, Videos');
  const album = { albumIds: ['a', 'b'], albumName: '' };
  expect(summarize('assetAddToAlbums', album)).toBe('2 albums');
  const named = (names: readonly (readonly [string, string])[]) =>
    words.summarizeConfig(catalogue, 'immich-plugin-core#assetAddToAlbums', album, new Map(names));
  expect(named([['a', 'Norway']])).toBe('2 albums');
  expect(
    named([
      ['a', 'Norway'],
      ['b', 'Best of'],
    ]),
  ).toBe('“Norway”, “Best of”');
  const place = { coordinate: { latitude: 59.9, longitude: 10.7, radius: 5 } };
  expect(summarize('assetLocationFilter', place)).toBe(
    'Latitude: 59.9, Longitude: 10.7, Distance in km: 5',
  );
  expect(words.summarizeConfig(undefined, 'a#b', { pattern: 'IMG' })).toBe('');
  expect(summarize('assetLock', null)).toBe('');
});

test('a filter of filters is told by their names, a range by its ends', () => {
  const group = {
    combine: 'any',
    filters: [{ method: 'safelight#textFilter', config: {} }, { method: 'safelight#sizeFilter' }],
  };
  expect(words.summarizeConfig(catalogue, 'safelight#groupFilter', group)).toBe(
    'At least one, Text in pictures, File size in megabytes',
  );
  const size = { max: 2_000, shape: 'any' };
  expect(words.summarizeConfig(catalogue, 'safelight#dimensionsFilter', size)).toBe(
    'At most: 2,000, Any orientation',
  );
  expect(words.getValueName('weekdays', 'monday')).toBe('Monday');
});

test('a text that may contain placeholders says which', () => {
  const { schema } = words.findMethod(catalogue, 'safelight#addToNamedAlbum')!;
  const [[, node]] = listProperties(schema as SchemaNode) as [[string, SchemaNode]];
  expect(words.getFieldHint('safelight#addToNamedAlbum', 'name', node)).toStartWith(
    'May contain {{year}}, {{month}}',
  );
  expect(words.getFieldHint('a#b', 'power', { description: 'Of it' })).toBe('Of it');
});

test('every method, field, word and template of the server has a name of the page', () => {
  const missing: string[] = [];
  const walk = (method: string, schema: SchemaNode): void => {
    for (const [name, node] of listProperties(schema)) {
      const label = words.getFieldName(method, name);
      if (label === name) missing.push(`${method}.${name}`);
      const values = (node.enum ?? []).filter((value) => value !== 'contains');
      const unnamed = values.filter((value) => words.getValueName(name, value) === value);
      missing.push(...unnamed.map((value) => `${method}.${name}=${value}`));
      if (getFieldKind(node) === 'group') walk(method, node);
    }
  };
  for (const { key, schema } of catalogue) {
    if (words.getMethodName(key, undefined) === key) missing.push(key);
    walk(key, schema as SchemaNode);
  }
  for (const template of listTemplates()) {
    if (words.describeTemplate(template).text === template.description) missing.push(template.key);
  }
  expect(missing).toEqual([]);
});

test('a method that this page does not know keeps the name that the server gives it', () => {
  const method = { ...find('assetLock'), key: 'other#magic', title: 'Magic' };
  expect(words.getMethodName('other#magic', [method])).toBe('Magic');
  expect(words.getMethodName('other#magic', [])).toBe('other#magic');
  expect(words.getFieldName('other#magic', 'power', { title: 'Power' })).toBe('Power');
});
