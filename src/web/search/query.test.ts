import { expect, test } from 'bun:test';
import { getLabel } from './chip-labels.ts';
import { toChip } from './query.ts';

test('a rejected picture has no stars below nothing', () => {
  const chips = ['5', '-1'].map((value) => toChip('rating', { value, label: value, count: 1 }));
  expect(chips).toEqual([
    { field: 'rating', label: '★ 5', value: 5 },
    { field: 'rating', label: 'Rejected', value: -1 },
  ]);
});

test('each kind of file has a word of its own', () => {
  const kinds = ['IMAGE', 'VIDEO', 'AUDIO', 'OTHER'].map((value) =>
    getLabel(toChip('type', { value, label: value, count: 1 })),
  );
  expect(kinds).toEqual(['Photos', 'Videos', 'Audio', 'Other']);
});
