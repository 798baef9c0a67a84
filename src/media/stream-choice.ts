import { toNumber, toNumberWithin, toRecord, toText } from './tag-values.ts';

type Stream = Readonly<Record<string, unknown>>;

/** ffprobe names a codec that it cannot decode, as new ones of phones, 'unknown', or not at all. */
const isNamed = (stream: Stream): boolean =>
  !['unknown', 'none', 'apac'].includes(toText(stream['codec_name'], 50) ?? 'none');

const isDefault = (stream: Stream): number =>
  toNumberWithin(toRecord(stream['disposition'])?.['default'], 0, 1) ?? 0;

/** As players choose: a film before a still, the default one before others, then the largest, then the first. */
export function findPicture(streams: readonly Stream[]): Stream | undefined {
  const rank = (stream: Stream): readonly number[] => [
    Number(isNamed(stream)),
    Number(toNumber(stream['nb_frames']) !== 1),
    isDefault(stream),
    (toNumber(stream['width']) ?? 0) * (toNumber(stream['height']) ?? 0),
  ];
  return streams
    .filter(
      (stream) => isPicture(stream) && toNumberWithin(stream['width'], 1, 65_535) !== undefined,
    )
    .toSorted((one, other) => compareRanks(rank(other), rank(one)))[0];
}

function compareRanks(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at === -1 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
}

/** The default sound, else the first, of those that can be decoded. */
export const findSound = (streams: readonly Stream[]): Stream | undefined =>
  streams
    .filter(
      (stream) =>
        stream['codec_type'] === 'audio' &&
        isNamed(stream) &&
        toNumberWithin(stream['channels'], 1, 64) !== undefined,
    )
    .toSorted((one, other) => isDefault(other) - isDefault(one))[0];

export const isPicture = (stream: Stream, attached: 0 | 1 = 0): boolean =>
  stream['codec_type'] === 'video' &&
  (toNumber(toRecord(stream['disposition'])?.['attached_pic']) ?? 0) === attached;
