import { hashKey } from '@tanstack/react-query';
import {
  add,
  compare,
  multiply,
  type Rational,
  rational,
  toRational,
  toSeconds,
  type WireRational,
  ZERO,
} from '../../../core/rational.ts';
import { formatClock } from '../../parts/moments/entries.ts';
import type { StudioDocument } from '../../data/types.ts';

/** A clip with a name of its own while it is edited. */
export type Clip = StudioDocument['clips'][number] & { readonly id: string };
export type Title = NonNullable<StudioDocument['titles']>[number] & { readonly id: string };
/** The sound of a video alone. */
export type Sound = NonNullable<StudioDocument['sounds']>[number] & { readonly id: string };
/** Plays a part of an asset. */
export type MediaEntry = Clip | Sound;
export type Entry = MediaEntry | Title;

/** A document whose entries can be told apart. */
export type Film = Omit<StudioDocument, 'clips' | 'titles' | 'sounds'> & {
  readonly clips: readonly Clip[];
  readonly titles: readonly Title[];
  readonly sounds: readonly Sound[];
};

export const EMPTY_DOCUMENT: StudioDocument = {
  width: 1920,
  height: 1080,
  frameRate: { numerator: 30, denominator: 1 },
  clips: [],
};

export const isMediaEntry = (entry: Entry): entry is MediaEntry => 'assetId' in entry;
export const isClip = (entry: Entry): entry is Clip => 'track' in entry;
export const isSound = (entry: Entry): entry is Sound => isMediaEntry(entry) && !isClip(entry);

const name = <T extends object>(entry: T): T & { id: string } => ({
  ...entry,
  id: crypto.randomUUID(),
});

export const toFilm = ({ clips, titles = [], sounds = [], ...rest }: StudioDocument): Film => ({
  ...rest,
  clips: clips.map(name),
  titles: titles.map(name),
  sounds: sounds.map(name),
});

export const toDocument = ({ clips, titles, sounds, ...rest }: Film): StudioDocument => ({
  ...rest,
  clips: clips.map(({ id: _id, ...clip }) => clip),
  titles: titles.map(({ id: _id, ...title }) => title),
  sounds: sounds.map(({ id: _id, ...sound }) => sound),
});

export const listEntries = ({ clips, titles, sounds }: Film): readonly Entry[] => [
  ...clips,
  ...titles,
  ...sounds,
];

export const findEntry = (film: Film, id: string | undefined): Entry | undefined =>
  listEntries(film).find((entry) => entry.id === id);

/** Whether films show the same; entries that were not touched are not looked into. */
export function isSameFilm(a: Film, b: Film): boolean {
  if (a === b) return true;
  const isSame = (a: unknown, b: unknown) => a === b || hashKey([a]) === hashKey([b]);
  const isSameList = (a: readonly unknown[] = [], b: readonly unknown[] = []) =>
    a.length === b.length && a.every((entry, at) => isSame(entry, b[at]));
  const { clips, titles, sounds, ...rest } = a;
  const { clips: otherClips, titles: otherTitles, sounds: otherSounds, ...otherRest } = b;
  return (
    isSameList(clips, otherClips) &&
    isSameList(titles, otherTitles) &&
    isSameList(sounds, otherSounds) &&
    isSame(rest, otherRest)
  );
}

type Span = { readonly start: WireRational; readonly duration: WireRational };

export const getStart = ({ start }: Span): Rational => toRational(start);
export const getLength = ({ duration }: Span): Rational => toRational(duration);
export const getEnd = (span: Span): Rational => add(getStart(span), getLength(span));

export const min = (a: Rational, b: Rational): Rational => (compare(a, b) <= 0 ? a : b);
export const max = (a: Rational, b: Rational): Rational => (compare(a, b) >= 0 ? a : b);

/** Sounds do not make a film longer. */
export const getFilmLength = ({ clips, titles = [] }: StudioDocument): Rational =>
  [...clips, ...titles].map(getEnd).reduce(max, ZERO);

/** Returns the time that a frame takes. */
export const getFrameLength = ({ frameRate }: Pick<Film, 'frameRate'>): Rational =>
  rational(BigInt(frameRate.denominator), BigInt(frameRate.numerator));

/** Returns the number of the frame that shows at a time. */
export const toFrameNumber = (film: Pick<Film, 'frameRate'>, time: Rational): number => {
  const { numerator, denominator } = multiply(time, toRational(film.frameRate));
  return Number(numerator / denominator);
};

/** As the library tells how long a video is. */
export const fromMilliseconds = (ms: number): Rational => rational(BigInt(ms), 1000n);

export const fromFrameNumber = (film: Pick<Film, 'frameRate'>, frame: number): Rational =>
  multiply(rational(BigInt(Math.max(0, frame))), getFrameLength(film));

/** Returns the start of the frame that shows at a time. */
export const floorToFrame = (film: Pick<Film, 'frameRate'>, time: Rational): Rational =>
  fromFrameNumber(film, toFrameNumber(film, time));

/** Returns the start of the first frame that does not begin before a time. */
export function ceilToFrame(film: Pick<Film, 'frameRate'>, time: Rational): Rational {
  const floor = floorToFrame(film, time);
  return compare(floor, time) === 0 ? floor : add(floor, getFrameLength(film));
}

/** Returns the time of the frame that begins nearest to so many seconds. */
export const toNearestFrame = (film: Pick<Film, 'frameRate'>, seconds: number): Rational =>
  fromFrameNumber(film, Math.round(seconds * toSeconds(toRational(film.frameRate))));

/** Returns the tracks that have a clip, from the highest, with an empty one above them. */
export function listTracks({ clips }: Film): number[] {
  const highest = clips.reduce((most, { track }) => Math.max(most, track), -1);
  const count = Math.min(MAX_TRACKS, highest + 2);
  return Array.from({ length: count }, (_, at) => count - 1 - at);
}

export const MAX_TRACKS = 32;

/** Returns the nearest start or end of an entry before or after a time. */
export function findCut(film: Film, from: Rational, direction: -1 | 1): Rational {
  const cuts = listEntries(film).flatMap((entry) => [getStart(entry), getEnd(entry)]);
  const beyond = [ZERO, ...cuts].filter((cut) => compare(cut, from) === direction);
  return beyond.length === 0 ? from : beyond.reduce(direction === 1 ? min : max);
}

/** Returns rows of sounds, of which those of one row do not overlap, each in the first that is free. */
export function listSoundRows({ sounds }: Film): readonly (readonly Sound[])[] {
  const rows: Sound[][] = [];
  for (const sound of sounds.toSorted((a, b) => compare(getStart(a), getStart(b)))) {
    const free = rows.find((row) => {
      const last = row.at(-1);
      return !last || compare(getEnd(last), getStart(sound)) <= 0;
    });
    if (free) free.push(sound);
    else rows.push([sound]);
  }
  return rows;
}

/** Minutes, seconds and the frame in that second, as 1:02.15; with hours from the first one on, as 1:00:02.15. */
export function formatTimecode(film: Pick<Film, 'frameRate'>, time: Rational): string {
  const seconds = Math.floor(toSeconds(time) + 1e-9);
  const first = Math.ceil((seconds * film.frameRate.numerator) / film.frameRate.denominator);
  return `${formatClock(seconds * 1000)}.${twoDigits(toFrameNumber(film, time) - first)}`;
}

const twoDigits = (number: number): string => String(number).padStart(2, '0');
