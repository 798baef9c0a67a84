import { toNumber, toNumberWithin, toRecord, toText } from './tag-values.ts';

type Stream = Readonly<Record<string, unknown>>;

/** The streams of a file that a player shows. */
export type ChosenStreams = {
  readonly video: Stream | undefined;
  readonly audio: Stream | undefined;
  /** The cover of a sound file. */
  readonly cover: Stream | undefined;
  /** A stream of the same kind comes before one of them: a player may take that. */
  readonly isLater: boolean;
};

/** Chooses among what ffprobe tells of streams. */
export function chooseStreams(streams: readonly Stream[]): ChosenStreams {
  const pictures = streams.filter((stream) => stream['codec_type'] === 'video');
  const films = pictures.filter((stream) => !isCover(stream));
  const sounds = streams.filter((stream) => stream['codec_type'] === 'audio');
  const most = Math.max(...films.map(countFrames));
  const isFilm: Rank = (stream) => !(countFrames(stream) * FEW < most);
  const video = pick(films, [...VIDEO_RANKS, isFilm, getArea]);
  const audio = pick(sounds.filter(isAudible), [isDefault]);
  return {
    video,
    audio,
    cover: pictures.find(isCover),
    isLater: [video !== films[0], audio !== undefined && audio !== sounds[0]].includes(true),
  };
}

type Rank = (stream: Stream) => number | boolean;

/** Returns the stream that is higher in the first rank that tells them apart, else the first one. */
function pick(streams: readonly Stream[], ranks: readonly Rank[]): Stream | undefined {
  const compare = (one: Stream, other: Stream) =>
    ranks.map((rank) => Number(rank(other)) - Number(rank(one))).find(Boolean) ?? 0;
  return streams.toSorted(compare)[0];
}

const hasFlag = (stream: Stream, name: string): boolean =>
  toNumber(toRecord(stream['disposition'])?.[name]) === 1;

/** Also the pictures of chapters, and those that a player shows while it seeks. */
const isCover = (stream: Stream): boolean =>
  hasFlag(stream, 'attached_pic') || hasFlag(stream, 'timed_thumbnails');
const isDefault: Rank = (stream) => hasFlag(stream, 'default');

const isNamed = (stream: Stream, name: string): boolean =>
  !['unknown', 'none', undefined].includes(toText(stream[name], 50));

/** ffprobe names the format of samples and pixels where it has a decoder. */
const isAudible = (stream: Stream): boolean =>
  isNamed(stream, 'codec_name') &&
  isNamed(stream, 'sample_fmt') &&
  toNumberWithin(stream['channels'], 1, 64) !== undefined;

const hasSize: Rank = (stream) => toNumberWithin(stream['width'], 1, 65_535) !== undefined;

const VIDEO_RANKS: readonly Rank[] = [
  (stream) => isNamed(stream, 'codec_name'),
  hasSize,
  (stream) => isNamed(stream, 'pix_fmt'),
  // A picture of what is filmed, as some cameras write it.
  (stream) => countFrames(stream) !== 1,
  // An enhancement of another stream is none by itself.
  (stream) => !hasFlag(stream, 'dependent'),
  isDefault,
];

/** Phones write a few large pictures beside the clip of a motion photo. */
const FEW = 4;

/** Not a number where the container does not tell it. */
const countFrames = (stream: Stream): number => toNumber(stream['nb_frames']) ?? NaN;

const getArea = (stream: Stream): number =>
  (toNumber(stream['width']) ?? 0) * (toNumber(stream['height']) ?? 0);
