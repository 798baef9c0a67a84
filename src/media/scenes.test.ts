import { expect, test } from 'bun:test';
import { SAMPLE, SAMPLE_BYTES, type Sample, toSample } from './scene-samples.ts';
import { detectScenes, MAX_SCENES } from './scenes.ts';

/** A chequered picture of one colour; `contrast` 0 is flat. */
function picture(colour: readonly number[], contrast = 50): Uint8Array {
  const rgb = new Uint8Array(SAMPLE_BYTES);
  for (let at = 0; at < SAMPLE_BYTES / 3; at++) {
    const isLight = (((at % SAMPLE.width) >> 2) + (Math.floor(at / SAMPLE.width) >> 2)) % 2 === 0;
    for (const channel of [0, 1, 2]) {
      rgb[at * 3 + channel] = colour[channel]! + (isLight ? contrast : 0);
    }
  }
  return rgb;
}

const RED = [130, 10, 10];
const GREEN = [10, 130, 10];
const BLUE = [10, 10, 130];
const film = (...pictures: readonly Uint8Array[]): Sample[] =>
  pictures.map((one, at) => toSample(one, at * 250));
const times = (count: number, one: Uint8Array) => Array.from({ length: count }, () => one);

test('each cut begins a scene, and scenes follow each other without a gap', () => {
  const samples = film(
    ...times(12, picture(RED)),
    ...times(8, picture(GREEN)),
    ...times(8, picture(BLUE)),
  );
  const scenes = detectScenes(samples, 7000);
  expect(scenes.map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
    [0, 3000],
    [3000, 5000],
    [5000, 7000],
  ]);
  for (const { atMs, startMs, endMs } of scenes) {
    expect(atMs >= startMs && atMs <= endMs).toBe(true);
  }
});

test('the sharpest frame represents a scene, black ones never do', () => {
  const black = picture([0, 0, 0], 0);
  const samples = film(
    ...times(8, black),
    ...times(4, picture(RED, 5)),
    picture(RED, 50),
    ...times(3, picture(RED, 5)),
  );
  expect(detectScenes(samples, 4000).map(({ atMs }) => atMs)).toEqual([3000]);
  expect(detectScenes(film(...times(8, black)), 2000)).toHaveLength(1);
});

test('ranks start at the best, scores decrease, and repetitions come last', () => {
  const samples = film(
    ...times(8, picture(RED)),
    ...times(8, picture(GREEN)),
    ...times(8, picture(RED)),
    ...times(8, picture(BLUE)),
  );
  const scenes = detectScenes(samples, 8000);
  const ranked = [...scenes].sort((a, b) => a.rank - b.rank);
  expect(ranked.map(({ rank }) => rank)).toEqual([1, 2, 3, 4]);
  expect(ranked.map(({ score }) => score)).toEqual(
    ranked.map(({ score }) => score).toSorted((a, b) => b - a),
  );
  const getColour = (startMs: number) => ['red', 'green', 'red', 'blue'][startMs / 2000];
  const colours = ranked.map(({ startMs }) => getColour(startMs));
  expect(new Set(colours.slice(0, 3)).size).toBe(3);
  expect(colours[3]).toBe('red');
});

test('limits the number of scenes of a video with a thousand cuts', () => {
  const cuts = Array.from({ length: 100 }, (_, at) =>
    times(5, picture([RED, GREEN, BLUE][at % 3]!)),
  );
  expect(detectScenes(film(...cuts.flat()), 125_000)).toHaveLength(MAX_SCENES);
});

test('returns no scenes without samples', () => {
  expect(detectScenes([], 1000)).toEqual([]);
});
