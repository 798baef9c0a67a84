import { expect, test } from 'bun:test';
import { createStore } from '../../../base/store.ts';
import type { Timeline } from '../../../data/timeline/timeline-data.ts';
import type { MonthColumns } from '../../../data/types.ts';
import { createSequence, type Order } from './sequence.ts';

// Months of two photos and a recording.
const MONTHS = ['2024-03-01', '2024-02-01', '2024-01-01'];
const NAMES = MONTHS.map((_, month) => [0, 1, 2].map((item) => `${month}-${item}`));

function createTimeline(): Timeline {
  const months = MONTHS.map((key, month) => {
    const id = NAMES[month] ?? [];
    const columns = {
      id,
      ratio: id.map(() => 1),
      isImage: id.map((name) => !name.endsWith('2')),
      isAudio: id.map((name) => name.endsWith('2')),
      thumbhash: id.map(() => null),
      livePhotoVideoId: id.map(() => null),
    } as unknown as MonthColumns;
    return { key, count: id.length, columns };
  });
  const state = createStore({ status: 'ready' as const, error: undefined, months });
  const loadMonth = async (wanted: string) => months.find(({ key }) => key === wanted)?.columns;
  return { filter: {}, state, loadMonth } as unknown as Timeline;
}

async function play(id: string, order: Order, repeats: boolean, steps: number, by: 1 | -1 = 1) {
  const sequence = createSequence({ timeline: createTimeline(), id, order, repeats });
  const names: (string | undefined)[] = [];
  for (let step = 0; step < steps; step++) names.push((await sequence.move(by))?.id);
  return names;
}

test('goes on over the ends of months and around the timeline, without recordings', async () => {
  expect(await play('1-1', 'forward', true, 5)).toEqual(['2-0', '2-1', '0-0', '0-1', '1-0']);
  expect(await play('1-0', 'backward', true, 4)).toEqual(['0-1', '0-0', '2-1', '2-0']);
  expect(await play('0-0', 'forward', true, 2, -1)).toEqual(['2-1', '2-0']);
});

test('without repetition it ends', async () => {
  expect(await play('2-0', 'forward', false, 3)).toEqual(['2-1', undefined, undefined]);
});

test('a random order shows each photo once a round, and leads back the same way', async () => {
  const sequence = createSequence({
    timeline: createTimeline(),
    id: '0-0',
    order: 'random',
    repeats: true,
  });
  const round: string[] = [];
  for (let step = 0; step < 6; step++) round.push((await sequence.move(1))?.id ?? '');
  expect(round.toSorted()).toEqual(['0-0', '0-1', '1-0', '1-1', '2-0', '2-1']);
  const next = await sequence.peek(1);
  expect(next).toBeDefined();
  const back: string[] = [];
  const again = createSequence({
    timeline: createTimeline(),
    id: '0-0',
    order: 'random',
    repeats: false,
  });
  const there: string[] = [];
  for (let step = 0; step < 4; step++) there.push((await again.move(1))?.id ?? '');
  for (let step = 0; step < 3; step++) back.push((await again.move(-1))?.id ?? '');
  expect(back).toEqual(there.slice(0, 3).toReversed());
});
