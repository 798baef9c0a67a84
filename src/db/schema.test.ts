import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type TestDatabase, testDatabase } from '../../test/support/harness.ts';
import { describeSchema, listUncommented } from '../../test/support/schema-document.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

test('migrations/README.md matches the schema (make schema updates it)', async () => {
  const text = await Bun.file(join(import.meta.dir, '../../migrations/README.md')).text();
  expect(text).toBe(await describeSchema(database.sql));
});

test('every table and column has a comment in the migrations', async () => {
  expect(await listUncommented(database.sql)).toEqual([]);
});
