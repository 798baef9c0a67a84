import { expect, test } from 'bun:test';
import { useDatabase } from '../../test/support/database.ts';
import { openDatabase } from '../db/client.ts';
import { countTextBytes, defineKind, listKindUsages, type MemoryOwner } from './memory.ts';

const database = await useDatabase();
const text = defineKind<string>('texts of a test', countTextBytes);
const number = defineKind<number>('numbers of a test', () => 8);

async function withOwner(
  readCacheBytes: number,
  work: (owner: MemoryOwner) => void,
): Promise<void> {
  const { settings } = database.deps;
  const opened = openDatabase(settings.databaseUrl!, { max: 1 });
  work({ sql: opened.sql, settings: { ...settings, readCacheBytes } });
  await opened.close();
}
const getUsage = (owner: MemoryOwner, kind: string) =>
  listKindUsages(owner).find((usage) => usage.kind === kind)!;

test('kinds and databases have nothing of each other', async () => {
  await withOwner(100_000, (owner) => {
    text.keep(owner, 'a', 'x');
    number.keep(owner, 'a', 1);
    expect([text.find(owner, 'a'), number.find(owner, 'a'), text.find(owner, 'b')]).toEqual([
      'x',
      1,
      undefined,
    ]);
  });
  await withOwner(100_000, (owner) => expect(text.find(owner, 'a')).toBeUndefined());
});

test('all kinds share one size: what was not used for longest goes, whatever its kind', async () => {
  await withOwner(12_000, (owner) => {
    number.keep(owner, 'first', 1);
    text.keep(owner, 'second', 'x'.repeat(1000));
    for (let n = 0; n < 7; n++) {
      expect(number.find(owner, 'first')).toBe(1);
      text.keep(owner, `more ${n}`, 'x'.repeat(1400));
    }
    expect([number.find(owner, 'first'), text.find(owner, 'second')]).toEqual([1, undefined]);
    const used = listKindUsages(owner).reduce((sum, { bytes }) => sum + bytes, 0);
    expect(used).toBeWithin(9000, 12_001);
  });
});

test('bytes are counted when values come, are replaced, are too large, and go', async () => {
  await withOwner(12_000, (owner) => {
    text.keep(owner, 'a', 'x'.repeat(100));
    expect(getUsage(owner, text.name).bytes).toBe(400);
    text.keep(owner, 'a', 'x'.repeat(50));
    expect(getUsage(owner, text.name).bytes).toBe(350);
    text.keep(owner, 'a', 'x'.repeat(5000));
    expect([text.find(owner, 'a'), getUsage(owner, text.name).bytes]).toEqual([undefined, 0]);
    for (let n = 0; n < 100; n++) text.keep(owner, `${n}`, 'ж'.repeat(100));
    expect(getUsage(owner, text.name).bytes).toBe(12_000);
    expect(getUsage(owner, text.name)).toMatchObject({ lookups: 1, writes: 103 });
  });
});

test('a name belongs to one kind', () => {
  expect(() => defineKind(text.name, () => 0)).toThrow('already');
});
