import { afterEach, expect, test } from 'bun:test';
import { QueryObserver } from '@tanstack/react-query';
import { until } from '../../../test/support/until.ts';
import { followLiveEvents, INVALIDATED_BY } from './live-invalidation.ts';
import { isLive, handlePacket } from '../base/live.ts';
import { queryClient } from '../base/query-client.ts';
import { keys } from './query-keys.ts';

afterEach(() => {
  queryClient.clear();
  isLive.set(false);
});

/** Counts how often data under a key is fetched while something shows it. */
function observe(queryKey: readonly string[]) {
  const counter = { fetches: 0, stop: () => {} };
  counter.stop = new QueryObserver(queryClient, {
    queryKey,
    queryFn: () => Promise.resolve(++counter.fetches),
  }).subscribe(() => {});
  return counter;
}

test('a burst of events fetches the data in its row of the table once, and no other data', async () => {
  const stop = followLiveEvents();
  const people = observe([...keys.people, 'list']);
  const tags = observe([...keys.tags, 'list']);
  await until(() => people.fetches === 1 && tags.fetches === 1);
  for (let event = 0; event < 20; event++) handlePacket('42["on_person_thumbnail","id"]');
  await until(() => people.fetches === 2);
  await Bun.sleep(300);
  expect([people.fetches, tags.fetches]).toEqual([2, 1]);
  stop();
  people.stop();
  tags.stop();
});

test('a reconnection fetches what events may have been missed for, the first connection does not', async () => {
  const stop = followLiveEvents();
  const timeline = observe([...keys.timeline, 'list']);
  await until(() => timeline.fetches === 1);
  isLive.set(true);
  await Bun.sleep(400);
  expect(timeline.fetches).toBe(1);
  isLive.set(false);
  isLive.set(true);
  await until(() => timeline.fetches === 2);
  stop();
  timeline.stop();
});

test('an event of no row of the table invalidates nothing', () => {
  expect(INVALIDATED_BY['on_server_version']).toBeUndefined();
});
