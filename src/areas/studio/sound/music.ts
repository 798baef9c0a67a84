import type { StudioMusic, MusicTrack } from '../../../db/tables/studio.ts';
import { CHANNELS, SAMPLE_RATE } from '../../../media/film-encoding.ts';
import type { Samples } from '../../../media/sound.ts';

// Music is computed while it is heard, as a function of its time: it needs no file, and sounds the same from any
// time on.

/** Lengths in seconds. */
const FADE_IN = 1.5;
const FADE_OUT = 3;
/** Pads of a chord are heard into the next. */
const PAD = { attack: 1.2, release: 2.5, gain: 0.05, partials: [1, 0.35, 0.12] };
const PLUCK = { attack: 0.008, decay: 0.9, length: 4, gain: 0.09, partials: [1, 0.25, 0.08] };

/** The part of the music that is left while another sound is heard. */
const DUCKED = 0.3;
const DUCK_SECONDS = 0.6;

type Note = {
  /** Seconds from the start of the round. */
  readonly start: number;
  readonly length: number;
  readonly frequency: number;
  /** Where it is heard: 0 left, 1 right. */
  readonly pan: number;
  readonly isPlucked: boolean;
};

/** Samples of the film, without the last. */
export type SampleSpan = { readonly from: number; readonly to: number };

type Music = {
  readonly music: StudioMusic;
  /** Samples of the whole film. */
  readonly samples: number;
  /** Samples that are left out at the start. */
  readonly skip: number;
  /** Returns when other sounds are heard that touch a span. */
  readonly findSounds: (span: SampleSpan) => Promise<readonly SampleSpan[]>;
};

/** Opens the music of a film, which repeats its piece to the end. */
export function openMusic({ music, samples, skip, findSounds }: Music): Samples {
  const piece = PIECES[music.track];
  const notes = listNotes(piece);
  const round = piece.chords.length * CHORD_BEATS * piece.beatSeconds;
  let at = skip;
  return {
    close: async () => {},
    async read(count) {
      const span = { from: at, to: Math.min(samples, at + count / CHANNELS) };
      at = span.to;
      const around = DUCK_SECONDS * SAMPLE_RATE;
      const sounds = await findSounds({ from: span.from - around, to: span.to + around });
      const sum = new Float64Array((span.to - span.from) * CHANNELS);
      for (const [start, note] of listHeard(notes, round, span)) addNote(sum, note, start, span);
      const { volume = 1 } = music;
      return Int16Array.from(sum, (value, index) => {
        const sample = span.from + Math.floor(index / CHANNELS);
        const gain = volume * fade(sample, samples) * duck(sample, sounds);
        return Math.round(Math.max(-1, Math.min(1, value * gain)) * 32_767);
      });
    },
  };
}

const toFrequency = (note: number): number => 440 * 2 ** ((note - 69) / 12);

function listNotes({ chords, beatSeconds, pattern, lift }: Piece): Note[] {
  const chordSeconds = CHORD_BEATS * beatSeconds;
  return chords.flatMap((chord, index) => {
    const start = index * chordSeconds;
    const pads = chord.map((note, voice) => ({
      start,
      length: chordSeconds + PAD.release,
      frequency: toFrequency(note),
      pan: 0.35 + (0.3 * voice) / (chord.length - 1),
      isPlucked: false,
    }));
    const plucked = pattern.flatMap((voice, beat) => {
      const note = voice === null ? undefined : chord[voice];
      if (note === undefined) return [];
      const frequency = toFrequency(note + lift);
      const pan = beat % 2 === 0 ? 0.3 : 0.7;
      const from = start + beat * beatSeconds;
      return [{ start: from, length: PLUCK.length, frequency, pan, isPlucked: true }];
    });
    return [...pads, ...plucked];
  });
}

/** Returns the notes that are heard in a span, and the sample of the film at which each begins. */
function listHeard(notes: readonly Note[], round: number, { from, to }: SampleSpan) {
  const heard: (readonly [number, Note])[] = [];
  for (const note of notes) {
    const [begin, end] = [from / SAMPLE_RATE, to / SAMPLE_RATE];
    const first = Math.max(0, Math.floor((begin - note.length - note.start) / round));
    for (let n = first; n * round + note.start < end; n += 1) {
      const start = n * round + note.start;
      if (start + note.length > begin) heard.push([Math.round(start * SAMPLE_RATE), note]);
    }
  }
  return heard;
}

function addNote(sum: Float64Array, note: Note, start: number, { from, to }: SampleSpan): void {
  const { frequency, pan, length, isPlucked } = note;
  const { gain, partials } = isPlucked ? PLUCK : PAD;
  const begin = Math.max(from, start);
  const end = Math.min(to, start + Math.floor(length * SAMPLE_RATE));
  const [left, right] = [Math.cos((pan * Math.PI) / 2), Math.sin((pan * Math.PI) / 2)];
  const envelope = Float64Array.from({ length: end - begin }, (_, at) =>
    isPlucked ? pluck(begin + at - start) : swell(begin + at - start, length),
  );
  for (const [index, share] of partials.entries()) {
    // A rotation for each sample takes a fraction of the time of a sine.
    const step = (2 * Math.PI * frequency * (index + 1)) / SAMPLE_RATE;
    const [turnSine, turnCosine] = [Math.sin(step), Math.cos(step)];
    let sine = Math.sin(step * (begin - start));
    let cosine = Math.cos(step * (begin - start));
    for (let at = begin; at < end; at += 1) {
      const value = sine * (envelope[at - begin] ?? 0) * gain * share;
      const place = (at - from) * CHANNELS;
      sum[place] = (sum[place] ?? 0) + value * left;
      sum[place + 1] = (sum[place + 1] ?? 0) + value * right;
      const turned = sine * turnCosine + cosine * turnSine;
      cosine = cosine * turnCosine - sine * turnSine;
      sine = turned;
    }
  }
}

const clamp = (value: number): number => Math.max(0, Math.min(1, value));

/** The loudness of a plucked note so many samples after its start; it has ended when it is cut off. */
function pluck(samples: number): number {
  const seconds = samples / SAMPLE_RATE;
  const rest = clamp((PLUCK.length - seconds) / 0.5);
  return clamp(seconds / PLUCK.attack) * Math.exp(-seconds / PLUCK.decay) * rest;
}

function swell(samples: number, length: number): number {
  const seconds = samples / SAMPLE_RATE;
  const share = clamp(seconds / PAD.attack) * clamp((length - seconds) / PAD.release);
  return share * share * (3 - 2 * share);
}

/** The loudness of the music as a whole: it comes and goes with the film. */
const fade = (sample: number, samples: number): number =>
  clamp(sample / SAMPLE_RATE / FADE_IN) * clamp((samples - sample) / SAMPLE_RATE / FADE_OUT);

/** Lower while another sound is heard, with a ramp before and after it. */
function duck(sample: number, sounds: readonly SampleSpan[]): number {
  let gain = 1;
  for (const { from, to } of sounds) {
    const away = Math.max(0, from - sample, sample - to) / SAMPLE_RATE / DUCK_SECONDS;
    gain = Math.min(gain, DUCKED + (1 - DUCKED) * clamp(away));
  }
  return gain;
}

// The pieces of music that a film may have: written here, so that they are nobody else's.

/** A chord lasts so many beats. */
const CHORD_BEATS = 8;

type Piece = {
  readonly beatSeconds: number;
  /** The chords of a round, which is repeated: notes as in MIDI, where 60 is the middle C. */
  readonly chords: readonly (readonly number[])[];
  /** The notes of a chord that are plucked at its beats, counted from the lowest; null: none. */
  readonly pattern: readonly (number | null)[];
  /** How far above the chord they lie, in half tones. */
  readonly lift: number;
};

const PIECES: Readonly<Record<MusicTrack, Piece>> = {
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
