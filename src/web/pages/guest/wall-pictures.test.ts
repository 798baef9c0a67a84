import { expect, test } from 'bun:test';
import type { Month } from '../../data/timeline/sections.ts';
import { listLatest, selectShown, WALL_PICTURES } from './wall-pictures.ts';

const month = (ids: readonly string[], createdAt: readonly string[]) => {
  const thumbhash = ids.map((id) => (id === 'new' ? null : 'hash'));
  const columns = { id: ids, createdAt, thumbhash };
  return { key: '2026-01-01', count: ids.length, columns } as unknown as Month;
};

test('what arrived last comes first, whenever it was taken', () => {
  const months = [
    month(['a', 'b'], ['2026-05-02T00:00:00Z', '2026-05-01T00:00:00Z']),
    month(['c', 'new'], ['2026-05-03T00:00:00Z', '2026-05-04T00:00:00Z']),
    { key: '2025-01-01', count: 3, columns: undefined },
  ];
  expect(listLatest(months)).toEqual(['c', 'a', 'b']);
});

test('the latest photo stays, and each other one is shown in some turn', () => {
  expect(selectShown([], 3)).toEqual([]);
  expect(selectShown(['a', 'b'], 3)).toEqual(['a', 'b']);
  const ids = Array.from({ length: 20 }, (_, at) => `${at}`);
  const seen = new Set<string>();
  for (let turn = 0; turn < 20; turn++) {
    const shown = selectShown(ids, turn);
    expect(shown[0]).toBe('0');
    expect(new Set(shown).size).toBe(WALL_PICTURES);
    for (const id of shown) seen.add(id);
  }
  expect(seen.size).toBe(20);
});
