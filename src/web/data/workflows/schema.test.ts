import { expect, test } from 'bun:test';
import { listMethods } from '../../../areas/workflows/plugins/plugins.domain.ts';
import { createConfig, getFieldKind, type SchemaNode, withValue } from './schema.ts';

const getSchema = (name: string) => listMethods({ name })[0]!.schema as SchemaNode;

test('a new configuration has the required values and the defaults, and leaves numbers open', () => {
  expect(createConfig(getSchema('assetTagFilter'))).toEqual({ tags: [], matching: 'all' });
  expect(createConfig(getSchema('assetLocationFilter'))).toEqual({});
  expect(createConfig(getSchema('assetDateFilter'))).toEqual({
    startDate: {},
    endDate: {},
    recurring: false,
  });
  expect(createConfig(getSchema('assetLock'))).toEqual({});
});

test('each property of a schema has a kind of field', () => {
  const kinds: Record<string, SchemaNode> = {
    text: { type: 'string' },
    number: { type: 'integer' },
    flag: { type: 'boolean' },
    choice: { type: 'string', enum: ['a'] },
    choices: { type: 'string', enum: ['a'], array: true },
    ids: { type: 'string', array: true, uiHint: { type: 'TagId' } },
    texts: { type: 'string', array: true, uiHint: { type: 'Unknown' } },
    group: { type: 'object', properties: { a: { type: 'string' } } },
    conditions: { type: 'object', properties: { method: { type: 'string' } }, array: true },
  };
  for (const [kind, node] of Object.entries(kinds)) expect<string>(getFieldKind(node)).toBe(kind);
});

test('a value is set or removed in a copy', () => {
  const config = { a: 1, b: 2 };
  expect(withValue(config, 'a', 3)).toEqual({ a: 3, b: 2 });
  expect(withValue(config, 'a', undefined)).toEqual({ b: 2 });
  expect(config).toEqual({ a: 1, b: 2 });
});
