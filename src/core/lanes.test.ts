import { expect, test } from 'bun:test';
import { groupByThread, type Lane, LANES } from './lanes.ts';

test('on four cores or fewer metadata, image and video share a thread; on more each lane has its own', () => {
  const shared: Lane[][] = [['background'], ['inference'], ['metadata', 'image', 'video']];
  expect(groupByThread(LANES, 1)).toEqual(shared);
  expect(groupByThread(LANES, 4)).toEqual(shared);
  expect(groupByThread(LANES, 5)).toEqual(LANES.map((lane) => [lane]));
});

test('only the lanes of the process have threads', () => {
  expect(groupByThread(['video', 'inference'], 2)).toEqual([['inference'], ['video']]);
  expect(groupByThread(['background'], 2)).toEqual([['background']]);
});
