import { expect, test } from 'bun:test';
import { summarize } from './album-data.ts';

const added = { id: '1', success: true };
const known = { id: '2', success: false, error: 'duplicate' } as const;
const refused = { id: '3', success: false, error: 'no_permission' } as const;

test('what was added, what was there already and what was refused are told apart', () => {
  expect(summarize([added, added], 'Summer')).toBe('2 items added to Summer');
  expect(summarize([known], 'Summer')).toBe('1 item already in Summer');
  expect(summarize([added, known, refused], 'Summer')).toBe(
    '1 item added to Summer, 1 item already in Summer, 1 item could not be added',
  );
});
