import type { MusicTrack } from '../../../db/tables/studio.ts';

// The pieces of music that a film may have: written here, so that they are nobody else's.

/** A chord lasts so many beats. */
export const CHORD_BEATS = 8;

export type Piece = {
  readonly beatSeconds: number;
  /** The chords of a round, which is repeated: notes as in MIDI, where 60 is the middle C. */
  readonly chords: readonly (readonly number[])[];
  /** The notes of a chord that are plucked at its beats, counted from the lowest; null: none. */
  readonly pattern: readonly (number | null)[];
  /** How far above the chord they lie, in half tones. */
  readonly lift: number;
};

export const PIECES: Readonly<Record<MusicTrack, Piece>> = {
  calm: {
    beatSeconds: 0.9,
    chords: [
      [48, 55, 64, 71],
      [45, 52, 60, 67],
      [41, 48, 57, 64],
      [43, 50, 59, 62],
    ],
    pattern: [0, null, 2, null, 3, null, 1, null],
    lift: 12,
  },
  gentle: {
    beatSeconds: 0.66,
    chords: [
      [50, 57, 62, 66],
      [47, 54, 62, 66],
      [43, 50, 59, 62],
      [45, 52, 61, 64],
      [50, 57, 62, 66],
      [40, 47, 55, 59],
      [43, 50, 59, 62],
      [45, 52, 57, 62],
    ],
    pattern: [0, 2, 1, 3, null, 2, 1, null],
    lift: 12,
  },
  bright: {
    beatSeconds: 0.42,
    chords: [
      [53, 57, 60, 65],
      [48, 55, 60, 64],
      [50, 57, 62, 65],
      [46, 53, 58, 62],
    ],
    pattern: [0, 1, 2, 3, 2, 1, 3, 2],
    lift: 12,
  },
};
