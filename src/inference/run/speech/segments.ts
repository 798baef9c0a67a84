import type { TranscriptLine } from '../../types.ts';
import type { ChosenToken } from './token-choice.ts';
import type { SpeechTokens } from './tokens.ts';

const MS_PER_TIME_TOKEN = 20;

export type Segments = {
  readonly lines: readonly TranscriptLine[];
  /**
   * Time from which the sound is transcribed again, because a sentence was cut off; undefined
   * otherwise.
   */
  readonly cutAtMs: number | undefined;
};

export type SoundLength = {
  readonly lengthMs: number;
  /** Segments cut off before this time are kept: they would be cut again. */
  readonly leastMs: number;
};

/** Converts tokens between two time tokens to lines with times. */
export function toSegments(
  chosen: readonly ChosenToken[],
  { firstTime, decode }: SpeechTokens,
  { lengthMs, leastMs }: SoundLength,
): Segments {
  const lines: TranscriptLine[] = [];
  const toMs = (token: number) => Math.min(lengthMs, (token - firstTime) * MS_PER_TIME_TOKEN);
  const isTime = (one: ChosenToken | undefined) => one !== undefined && one.token >= firstTime;
  let startMs = 0;
  let words: ChosenToken[] = [];
  const close = (endMs: number) => {
    const text = decode(words.map(({ token }) => token));
    if (text !== '') {
      lines.push({
        startMs,
        endMs: Math.max(startMs, endMs),
        text,
        confidence: computeConfidence(words),
      });
    }
    words = [];
  };
  for (const one of chosen) {
    if (one.token < firstTime) words.push(one);
    else {
      if (words.length > 0) close(toMs(one.token));
      startMs = toMs(one.token);
    }
  }
  // A sentence without an end, or a beginning without a sentence: the next window begins with it.
  const isCut = words.length > 0 || (isTime(chosen.at(-1)) && isTime(chosen.at(-2)));
  if (isCut && lines.length > 0 && startMs >= leastMs) return { lines, cutAtMs: startMs };
  if (words.length > 0) close(lengthMs);
  return { lines, cutAtMs: undefined };
}

/** The mean probability of its words, 0 to 1. */
const computeConfidence = (words: readonly ChosenToken[]): number =>
  Math.exp(words.reduce((sum, { logProbability }) => sum + logProbability, 0) / words.length);
