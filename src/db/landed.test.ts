import { expect, test } from 'bun:test';
import { type Migration, migrations } from '../../migrations/index.ts';

/**
 * SHA-256 of each migration of the released versions, by name and in order. A database that has
 * applied one of them with another text is refused, so these files are frozen: a change is a new
 * migration. No version has been released yet: until then the files may be edited. The first release
 * adds all of them.
 */
const RELEASED: Readonly<Record<string, string>> = {};

const digest = (sql: string) => new Bun.CryptoHasher('sha256').update(sql).digest('hex');

/** Returns the released migrations that are missing, edited, or at another position. */
const findChanged = (released: Readonly<Record<string, string>>, now: readonly Migration[]) =>
  Object.entries(released)
    .filter(([name, sum], at) => now[at]?.name !== name || digest(now[at].sql) !== sum)
    .map(([name]) => name);

test('no released migration has changed', () => {
  expect(findChanged(RELEASED, migrations)).toEqual([]);
});

test('detects a released migration that was edited or removed, and a new one before it', () => {
  const released = Object.fromEntries(migrations.map(({ name, sql }) => [name, digest(sql)]));
  const [first, second] = migrations as [Migration, Migration];
  const extra = { name: '0000_extra', sql: 'select 1' };
  expect(findChanged(released, [...migrations, extra])).toEqual([]);
  const edited = migrations.with(1, { ...second, sql: `${second.sql} ` });
  expect(findChanged(released, edited)).toEqual([second.name]);
  expect(findChanged(released, migrations.slice(0, -1))).toEqual([migrations.at(-1)!.name]);
  expect(findChanged(released, [extra, ...migrations])).toContain(first.name);
});
