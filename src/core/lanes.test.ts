import { expect, test } from 'bun:test';
import { groupByThread, LANES } from './lanes.ts';

test('on four cores or fewer metadata, image and video share a thread; on more each lane has its own', () => {
  const shared = [['background'], ['inference'], ['metadata', 'image', 'video']];
  expect(groupByThread(LANES, 1)).toEqual(shared as any);
  expect(groupByThread(LANES, 4)).toEqual(shared as any);
  expect(groupByThread(LANES, 5)).toEqual(LANES.map((lane) => [lane]));
});

test('only the lanes of the process have threads', () => {
  expect(groupByThread(['video', 'inference'], 2)).toEqual([['inference'], ['video']]);
  expect(groupByThread(['background'], 2)).toEqual([['background']]);
});
