import { expect, test } from 'bun:test';
import { summarize } from './save-copies.ts';

const saved = { id: '1', success: true, assetId: '2' };
const refused = (error: 'duplicate' | 'no_permission' | 'validation') =>
  ({ id: '3', success: false, error }) as const;

test('what was saved, what was there already and what was refused are told apart', () => {
  expect(summarize([saved, saved])).toBe('2 items saved to your library');
  expect(summarize([refused('duplicate')])).toBe('1 item already in your library');
  expect(summarize([refused('no_permission')])).toBe('1 item not saved: the owner hides the place');
  expect(summarize([saved, refused('duplicate'), refused('validation')])).toBe(
    '1 item saved to your library, 1 item already in your library, 1 item could not be saved',
  );
});
