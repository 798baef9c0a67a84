import { expect, test } from 'bun:test';
import { clip, describe, film } from '../../../../test/support/edited-films.ts';
import { MAX_TRACKS } from './film.ts';
import { findTrackRefusal, moveToTrack } from './tracks.ts';

const title = { text: 'T', x: 0.5, y: 0.5, size: 0.1 };

test('a clip goes to the next track at its time', () => {
  const two = film(clip('a', 1, 4), clip('b', 5, 2, { track: 1 }));
  const up = moveToTrack(two, 'a', 1);
  expect(describe(up)).toEqual(['1: 1-5 from 0', '1: 5-7 from 0']);
  expect(describe(moveToTrack(up, 'a', -1))).toEqual(describe(two));
});

test('it stays where there is no other track, or where other clips show there', () => {
  const two = film(clip('a', 1, 4), clip('b', 4, 2, { track: 1 }));
  const [a, b] = two.clips;
  expect(findTrackRefusal(two, a!, 1)).toBe('taken');
  expect(findTrackRefusal(two, b!, -1)).toBe('taken');
  expect(findTrackRefusal(two, a!, -1)).toBe('outermost');
  expect(findTrackRefusal(two, b!, 1)).toBeUndefined();
  for (const step of [1, -1] as const) expect(moveToTrack(two, 'a', step)).toBe(two);
  const highest = film(clip('a', 0, 4, { track: MAX_TRACKS - 1 }));
  expect(findTrackRefusal(highest, highest.clips[0]!, 1)).toBe('outermost');
  expect(moveToTrack(two, 'none', 1)).toBe(two);
});

test('titles and sounds have no tracks', () => {
  const { track: _track, id: _id, ...part } = clip('a', 0, 4);
  const { start, duration } = part;
  const other = {
    ...film(),
    titles: [{ id: 't', start, duration, ...title }],
    sounds: [{ id: 's', ...part }],
  };
  for (const entry of [...other.titles, ...other.sounds]) {
    expect(findTrackRefusal(other, entry, 1)).toBe('trackless');
    expect(moveToTrack(other, entry.id, 1)).toBe(other);
  }
});
