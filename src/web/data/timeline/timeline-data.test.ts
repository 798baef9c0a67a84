import { afterEach, beforeEach, expect, mock, test } from 'bun:test';
import { until } from '../../../../test/support/until.ts';
import { isLive } from '../../base/live.ts';
import { invalidate, queryClient } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import { type Filter, forgetTimeline, getTimeline, type Timeline } from './timeline-data.ts';

const { fetch } = globalThis;
const JULY = '2024-07-01';
const JUNE = '2024-06-01';

/** The photos of each month; an answer's etag is its content. */
let library: Record<string, string[]>;
let requests: string[];
let isDown: boolean;

beforeEach(() => {
  // No polling: what is fetched is due to what the test does.
  isLive.set(true);
  library = { [JULY]: ['a', 'b'], [JUNE]: ['c'] };
  requests = [];
  isDown = false;
  globalThis.fetch = mock((path: string, init: RequestInit) => {
    const url = new URL(path, 'http://test');
    const month = url.searchParams.get('timeBucket');
    if (isDown) return Promise.resolve(new Response('{"message":"No"}', { status: 500 }));
    const body = month
      ? { id: library[month], isFavorite: library[month]!.map(() => false) }
      : Object.entries(library).map(([timeBucket, { length: count }]) => ({ timeBucket, count }));
    const etag = JSON.stringify(body);
    const isSame = (init.headers as Record<string, string>)['if-none-match'] === etag;
    requests.push(`${month ?? 'months'} ${isSame ? 304 : 200}`);
    const answer = isSame
      ? new Response(null, { status: 304 })
      : Response.json(body, { headers: { etag } });
    return Promise.resolve(answer);
  }) as unknown as typeof fetch;
});

afterEach(() => {
  globalThis.fetch = fetch;
  isLive.set(false);
  queryClient.clear();
});

let nextTag = 0;
/** A timeline of its own that is on the screen, with both months in view. */
async function openTimeline(): Promise<{ timeline: Timeline; filter: Filter; close: () => void }> {
  const filter = { tagId: String(nextTag++) };
  const timeline = getTimeline(filter);
  const close = timeline.state.subscribe(() => {});
  await until(() => timeline.state.get().status === 'ready');
  timeline.observeMonths([JULY, JUNE]);
  await until(() => timeline.state.get().months.every(({ columns }) => columns));
  requests = [];
  return { timeline, filter, close };
}
const listIds = ({ state }: Timeline) => state.get().months.flatMap(({ columns }) => columns?.id);

test('an unchanged timeline is answered without bodies, and its state stays the same object', async () => {
  const { timeline, close } = await openTimeline();
  const before = timeline.state.get();
  await invalidate([keys.timeline]);
  expect(requests.toSorted()).toEqual([`${JUNE} 304`, `${JULY} 304`, 'months 304']);
  expect(timeline.state.get()).toBe(before);
  close();
});

test('a photo that comes is shown; a month that is out of view is asked for when it comes back', async () => {
  const { timeline, close } = await openTimeline();
  timeline.observeMonths([JULY]);
  library = { [JULY]: ['a', 'b'], [JUNE]: ['c', 'd'] };
  await invalidate([keys.timeline]);
  expect(requests).not.toContain(`${JUNE} 200`);
  expect(timeline.state.get().months[1]!.count).toBe(2);
  timeline.observeMonths([JULY, JUNE]);
  await until(() => listIds(timeline).length === 4);
  expect(listIds(timeline)).toEqual(['a', 'b', 'c', 'd']);
  close();
});

test('a month is loaded once for all who need it, and not again while it is fresh', async () => {
  const { timeline, filter, close } = await openTimeline();
  timeline.observeMonths([]);
  queryClient.removeQueries({ queryKey: [...keys.timeline, JSON.stringify(filter), 'month'] });
  expect(listIds(timeline)).toEqual([undefined, undefined]);
  await Promise.all([timeline.loadMonth(JULY), timeline.loadMonths([JULY, JUNE])]);
  await timeline.loadMonth(JULY);
  expect(requests.toSorted()).toEqual([`${JUNE} 200`, `${JULY} 200`]);
  close();
});

test('favourites are marked at once, and only those that were none before are named', async () => {
  const { timeline, close } = await openTimeline();
  expect(timeline.markFavorites(new Set(['a', 'c']), true)).toEqual(new Set(['a', 'c']));
  expect(timeline.markFavorites(new Set(['a', 'b']), true)).toEqual(new Set(['b']));
  const marks = timeline.state.get().months.map(({ columns }) => columns?.isFavorite);
  expect(marks).toEqual([[true, true], [true]]);
  close();
});

test('a favourite that was marked stays one when an older answer comes', async () => {
  const { timeline, close } = await openTimeline();
  library = { [JULY]: ['a', 'b'], [JUNE]: ['d'] };
  const fetched = invalidate([keys.timeline]);
  timeline.markFavorites(new Set(['c']), true);
  await fetched;
  const marks = timeline.state.get().months.map(({ columns }) => columns?.isFavorite);
  expect(marks).toEqual([[false, false], [true]]);
  close();
});

test('a failure is told where nothing is shown yet, and hidden where something is', async () => {
  const { timeline, close } = await openTimeline();
  isDown = true;
  await timeline.refresh();
  expect(timeline.state.get().status).toBe('ready');
  close();

  const other = getTimeline({ albumId: 'refused' });
  const closeOther = other.state.subscribe(() => {});
  await until(() => other.state.get().status === 'failed');
  expect(other.state.get().error).toMatchObject({ status: 500, serverMessage: 'No' });
  isDown = false;
  await other.refresh();
  expect(other.state.get().status).toBe('ready');
  closeOther();
});

test('a timeline that is forgotten holds no photo any more', async () => {
  const { timeline, filter, close } = await openTimeline();
  close();
  forgetTimeline(filter);
  expect(timeline.state.get()).toEqual({ status: 'loading', error: undefined, months: [] });
});
