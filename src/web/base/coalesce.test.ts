import { expect, test } from 'bun:test';
import { until } from '../../../test/support/until.ts';
import { coalesce } from './coalesce.ts';

test('a call during a run causes exactly one more run after it', async () => {
  const ends: (() => void)[] = [];
  const run = coalesce(() => new Promise<void>((resolve) => ends.push(resolve)));
  run();
  await until(() => ends.length === 1);
  run();
  run();
  await Bun.sleep(300);
  expect(ends).toHaveLength(1);
  ends[0]!();
  await until(() => ends.length === 2);
  ends[1]!();
  await Bun.sleep(300);
  expect(ends).toHaveLength(2);
});
