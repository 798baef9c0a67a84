import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { Glob } from 'bun';
import { useDatabase } from '../../test/support/database.ts';
import { describeSchema, listUncommented } from '../../test/support/schema-document.ts';

const MIGRATIONS = join(import.meta.dir, '../../migrations');
const database = await useDatabase();

test('migrations/README.md matches the schema (make schema updates it)', async () => {
  const text = await Bun.file(join(import.meta.dir, '../../migrations/README.md')).text();
  expect(text).toBe(await describeSchema(database.sql));
});

test('every table and column has a comment in the migrations', async () => {
  expect(await listUncommented(database.sql)).toEqual([]);
});

test('every index says which query it serves, or serves the deletion of what its first column names', async () => {
  const mute: string[] = [];
  for (const name of new Glob('*.sql').scanSync(MIGRATIONS)) {
    const text = await Bun.file(join(MIGRATIONS, name)).text();
    const referring = new Set(
      [...text.matchAll(/^create table (\w+) \((.*?)^\);/gms)].flatMap(([, table, body]) =>
        [...body!.matchAll(/^ {2}(\w+) .*\breferences\b/gm)].map(
          ([, column]) => `${table} ${column}`,
        ),
      ),
    );
    const lines = text.split('\n');
    for (const [at, line] of lines.entries()) {
      const [, index, table, column] =
        /^create index (\w+) on (\w+)(?: using \w+)? ?\(?(\w+)?/.exec(line) ?? [];
      if (!index || referring.has(`${table} ${column}`)) continue;
      // Indexes that follow each other share a comment.
      let above = at - 1;
      while (/^(?:create (?:unique )?index| )/.test(lines[above]!)) above--;
      if (!lines[above]!.startsWith('--')) mute.push(`${name}: ${index}`);
    }
  }
  expect(mute).toEqual([]);
});

test('no table is unlogged: a crash of the database could make it unreadable for every statement that names it', async () => {
  const unlogged = await database.sql`
    select relname from pg_class where relpersistence = 'u' and relkind in ('r', 'i', 'S')`;
  expect([...unlogged]).toEqual([]);
});
