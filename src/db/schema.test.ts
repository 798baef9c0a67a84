import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { useDatabase } from '../../test/support/database.ts';
import { describeSchema, listUncommented } from '../../test/support/schema-document.ts';

const database = await useDatabase();

test('migrations/README.md matches the schema (make schema updates it)', async () => {
  const text = await Bun.file(join(import.meta.dir, '../../migrations/README.md')).text();
  expect(text).toBe(await describeSchema(database.sql));
});

test('every table and column has a comment in the migrations', async () => {
  expect(await listUncommented(database.sql)).toEqual([]);
});
