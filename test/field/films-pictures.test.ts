import { expect, setDefaultTimeout, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { makeClip, writeTurned } from '../fixtures/clips.ts';
import { colorAt, expectNear, HDR } from '../fixtures/index.ts';
import { H264, picture, source, tone, useFieldFilms } from '../support/field-films.ts';

// Colours, posters and times of films: README.md has the public threads.

setDefaultTimeout(120_000);

const { make, process, getPath } = useFieldFilms();

const GREY = source('color=0x808080:size=160x120:rate=10:duration=1');
const DISPLAY = 'G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)';

/** HDR with what its encoder is told of the display and of the brightest pixels. */
const hdr = (data: string) =>
  HDR.map((word) => (word.startsWith('log-level') ? `${word}${data}` : word));

/** Colour of a poster, and of a frame of what is played. */
async function look(path: string, x = 0.5, y = 0.5) {
  const film = await process(path);
  const frame = `${film.path}.png`;
  makeClip(frame, ['-i', film.path, '-frames:v', '1']);
  const colors = [await colorAt(film.poster!, x, y), await colorAt(await readFile(frame), x, y)];
  return { film, colors };
}

let plain: ReturnType<typeof look> | undefined;

test.each([
  ['350a: a display of 1000 nits', ':hdr10=1:master-display=DISPLAY_L(10000000,1)'],
  ['350b: a display of 0.005 nits', ':hdr10=1:master-display=DISPLAY_L(50,50)'],
  ['350c: a brightest pixel of 1 nit', ':hdr10=1:max-cll=1,1'],
])('%s in its mastering data changes no colour of a film', async (title, data) => {
  const { colors } = await (plain ??= look(make('plain.mp4', ...GREY, ...HDR)));
  const name = `${title.slice(0, 4)}.mp4`;
  const told = await look(make(name, ...GREY, ...hdr(data.replace('DISPLAY_', DISPLAY))));
  for (const [at, color] of told.colors.entries()) expectNear(color, colors[at]!, 3);
});

test('351: colours that a film says to be reserved are the usual ones', async () => {
  const green = source('color=0x40a060:size=160x120:rate=10:duration=1');
  const named = 'h264_metadata=matrix_coefficients=3:colour_primaries=3:transfer_characteristics=3';
  const { film, colors } = await look(make('reserved.mkv', ...green, ...H264, '-bsf:v', named));
  expect([film.isBroken, film.isTranscoded]).toEqual([false, true]);
  for (const color of colors) expectNear(color, [64, 160, 96], 6);
});

test.each([
  ['352a: black for two thirds', 7, 3],
  ['352b: black but for its end', 20, 2],
  ['352c: with one black picture at its start', 0.1, 3],
])('%s: a film has a poster that shows something', async (_, black, red) => {
  const [start, end] = [picture('black', '64x48', black), picture('red', '64x48', red)];
  const joined = ['-filter_complex', '[0][1]concat=n=2:v=1:a=0,format=yuv420p'];
  const film = await process(make(`${black}.mp4`, ...start, ...end, ...joined, '-c:v', 'libx264'));
  expectNear(await colorAt(film.poster!), [254, 0, 0], 12);
});

test('353: a film that is black to its end has a black poster, and is not broken', async () => {
  const film = await process(make('night.mp4', ...picture('black', '64x48', 2), ...H264));
  expect(film.isBroken).toBe(false);
  expectNear(await colorAt(film.poster!), [0, 0, 0], 3);
});

/** Red, and blue at the right: where that is when it is turned. */
const HALVES = source('color=red:size=160x120:rate=10:duration=1,drawbox=x=80:w=80:c=blue:t=fill');

test.each([
  ['354a: to the left', 90, [120, 160], [0.5, 0.2]],
  ['354b: upside down', 180, [160, 120], [0.2, 0.5]],
  ['354c: to the right', 270, [120, 160], [0.5, 0.8]],
] as const)('%s: a turned film is upright as poster and after coding', async (_, by, size, at) => {
  const plain = make('halves.mov', ...HALVES, '-c:v', 'mpeg4', '-q:v', '2');
  const { film, colors } = await look(writeTurned(getPath(`${by}.mov`), plain, by), ...at);
  expect([film.size, film.played.video?.rotation]).toEqual([[...size], 0]);
  for (const color of colors) expectNear(color, [0, 0, 254], 30);
});

test('355: a film with a slow part keeps the times of its pictures', async () => {
  const slow = ['-vf', "setpts='if(lt(N,10),N,10+(N-10)*4)/10/TB'", '-fps_mode', 'vfr'];
  const path = make('vfr.mkv', ...picture('red', '64x48', 2), ...tone(440, 5), ...slow, ...H264);
  const film = await process(path);
  expect(film.isTranscoded).toBe(true);
  expect(Math.abs((film.durationMs ?? 0) - (film.played.durationMs ?? 0))).toBeLessThan(120);
  expect(film.durationMs).toBeWithin(4800, 5200);
});

test('356: an edit list that cuts the start of a film shortens what is said and played', async () => {
  const whole = make('whole.mp4', ...picture('red', '64x48', 4), ...H264, '-g', '40');
  const film = await process(make('cut.mp4', '-ss', '1.5', '-i', whole, '-c', 'copy'));
  expect(film.durationMs).toBeWithin(2400, 2700);
});

test('357: a time code, subtitles and chapters are no pictures and no sound', async () => {
  const subtitles = getPath('a.srt');
  await Bun.write(subtitles, '1\n00:00:00,000 --> 00:00:01,000\nHello\n');
  const streams = ['-i', subtitles, '-map', '0', '-map', '1', '-map', '2', '-c:s', 'mov_text'];
  const coding = [...H264, '-c:a', 'aac', '-timecode', '10:00:00:00', ...streams];
  const inputs = [...picture('red', '64x48', 2), ...tone(440, 2)];
  const [args, rest] = [coding.slice(coding.indexOf('-i')), coding.slice(0, coding.indexOf('-i'))];
  const [input, maps] = [args.slice(0, 2), args.slice(2)];
  const film = await process(make('code.mov', ...inputs, ...input, ...maps, ...rest));
  expect(film).toMatchObject({ type: 'VIDEO', isBroken: false, isTranscoded: false });
  expect([film.durationMs, film.played.audio?.codec]).toEqual([2000, 'aac']);
});
