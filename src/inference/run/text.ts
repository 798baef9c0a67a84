import { readFileSync } from 'node:fs';
import { getFirst, requireValue } from '../../core/required.ts';
import type { TextModel } from '../models/installed.ts';
import type { Pixels, Point, TextLine } from '../types.ts';
import { toChannelsFirst } from './channels.ts';
import { decodeCtc } from './ctc.ts';
import type { Place } from './rectangle.ts';
import { feed, floats, toFloats, type Session, type Sessions } from './session.ts';
import { findText } from './text-detection.ts';
import { warp } from './warp.ts';

export type TextReader = (picture: Pixels) => Promise<TextLine[]>;

const LEAST_SCORE = 0.5;
/** Height of the strip that a line is read from, in px. */
const HEIGHT = 48;
const NARROWEST = 16;
const WIDEST = 3200;
/** A line so much higher than wide is written from top to bottom. */
const UPRIGHT = 1.5;
const MOST_SAMPLES = 4;
const NORMAL = { mean: [127.5, 127.5, 127.5], std: [127.5, 127.5, 127.5], isBgr: true };

/**
 * Returns lines of text in reading order. Slow: a photo full of text takes a second or two. The recognizers are loaded
 * with the first line.
 */
export async function openText(sessions: Sessions, model: TextModel): Promise<TextReader> {
  const detection = await sessions.open('text', model.detection, { use: 'textDetection' });
  let recognizers: Recognizer[] | undefined;
  async function openRecognizers(): Promise<Recognizer[]> {
    const all: Recognizer[] = [];
    for (const { recognition, dictionary } of model.recognizers) {
      const session = await sessions.open('text', recognition, { use: 'textRecognition' });
      all.push({ session, characters: readDictionary(dictionary) });
    }
    return all;
  }
  return async (picture) => {
    const lines: TextLine[] = [];
    for (const { corners, score: boxScore } of await findText(detection, picture)) {
      recognizers ??= await openRecognizers();
      const { text, score } = await readSurely(recognizers, warpToStrip(picture, corners));
      if (text.trim() === '' || score < LEAST_SCORE) continue;
      const at = ([x, y]: Place): Point => ({ x: x / picture.width, y: y / picture.height });
      const [a, b, c, d] = corners;
      lines.push({ text, quad: [at(a), at(b), at(c), at(d)], boxScore, score });
    }
    return lines;
  };
}

/** The model's classes: none, those of the file, the space. */
function readDictionary(path: string): string[] {
  const lines = readFileSync(path, 'utf8').replaceAll('\r', '').replace(/\n$/, '').split('\n');
  return ['', ...lines, ' '];
}

/** Returns the line warped to a level strip in the model's height. */
function warpToStrip(picture: Pixels, corners: readonly [Place, Place, Place, Place]): Pixels {
  const distance = (a: Place, b: Place) => Math.hypot(b[0] - a[0], b[1] - a[1]);
  const [p, q, r, s] = corners;
  const across = Math.max(distance(p, q), distance(s, r));
  const down = Math.max(distance(p, s), distance(q, r));
  const isUpright = down / across >= UPRIGHT;
  const [a, b, c, d] = isUpright ? [q, r, s, p] : [p, q, r, s];
  const [length, depth] = isUpright ? [down, across] : [across, down];
  const width = Math.max(NARROWEST, Math.min(WIDEST, Math.ceil((length / depth) * HEIGHT)));
  const samples = Math.max(1, Math.min(MOST_SAMPLES, Math.round(depth / HEIGHT)));
  return warp(picture, { width, height: HEIGHT }, samples, (x, y) => {
    const [u, v] = [x / width, y / HEIGHT];
    const between = (axis: 0 | 1) =>
      (1 - v) * ((1 - u) * a[axis] + u * b[axis]) + v * (u * c[axis] + (1 - u) * d[axis]);
    return [between(0), between(1)];
  });
}

type Recognizer = { readonly session: Session; readonly characters: readonly string[] };

/** Returns what the most certain recognizer reads; of equally certain ones the first. */
async function readSurely(recognizers: readonly Recognizer[], strip: Pixels) {
  let best = { text: '', score: 0 };
  for (const recognizer of recognizers) {
    const line = await readLine(recognizer, strip);
    if (line.text.trim() !== '' && line.score > best.score) best = line;
  }
  return best;
}

async function readLine({ session, characters }: Recognizer, strip: Pixels) {
  const input = floats(toChannelsFirst(strip, NORMAL), [1, 3, HEIGHT, strip.width]);
  const output = (await feed(session, input))[getFirst(session.outputs)];
  const classes = requireValue(output?.dims.at(-1), 'number of classes of characters');
  return decodeCtc(toFloats(output), classes, characters);
}
