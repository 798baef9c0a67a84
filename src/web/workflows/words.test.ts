import { expect, test } from 'bun:test';
import { listMethods, listTemplates } from '../../areas/workflows/plugins/plugins.domain.ts';
import { type Config, listProperties, type SchemaNode } from './schema.ts';
import * as words from './words.ts';

const catalogue = listMethods({ pluginName: 'immich-plugin-core' });
const find = (name: string) => words.findMethod(catalogue, `immich-plugin-core#${name}`)!;
const summarize = (name: string, config: Config | null) =>
  words.summarizeConfig(catalogue, `immich-plugin-core#${name}`, config);

test('a configuration is one line of what somebody has chosen', () => {
  const file = { pattern: 'IMG', matchType: 'startsWith', caseSensitive: true };
  expect(summarize('assetFileFilter', file)).toBe('“IMG”, begins with, Match case');
  expect(summarize('assetTypeFilter', { allowedTypes: ['IMAGE', 'VIDEO'] })).toBe('Photos, Videos');
  const album = { albumIds: ['a', 'b'], albumName: '' };
  expect(summarize('assetAddToAlbums', album)).toBe('2 albums');
  const place = { coordinate: { latitude: 59.9, longitude: 10.7, radius: 5 } };
  expect(summarize('assetLocationFilter', place)).toBe(
    'Latitude: 59.9, Longitude: 10.7, Distance in km: 5',
  );
  expect(words.summarizeConfig(undefined, 'a#b', { pattern: 'IMG' })).toBe('');
  expect(summarize('assetLock', null)).toBe('');
});

test('every core method, its fields and words, and every core template has a name of the page', () => {
  const missing: string[] = [];
  const walk = (method: string, schema: SchemaNode): void => {
    for (const [name, node] of listProperties(schema)) {
      const label = words.getFieldName(method, name);
      if (label === name) missing.push(`${method}.${name}`);
      const values = (node.enum ?? []).filter((value) => value !== 'contains');
      const unnamed = values.filter((value) => words.getValueName(value) === value);
      missing.push(...unnamed.map((value) => `${method}.${name}=${value}`));
      walk(method, node);
    }
  };
  for (const { key, schema } of catalogue) {
    if (words.getMethodName(key, undefined) === key) missing.push(key);
    walk(key, schema as SchemaNode);
  }
  for (const template of listTemplates()) {
    if (!template.key.startsWith('immich-plugin-core#')) continue;
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
