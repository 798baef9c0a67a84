import { deflateRawSync } from 'node:zlib';
import { chooseNextToken, type ChosenToken } from './token-choice.ts';
import type { Decoding } from './decoder.ts';
import { softmax } from './logits.ts';
import type { SpeechTokens } from './tokens.ts';

/** More words than anybody says in half a minute. */
const MAX_TOKENS = 224;
/** A text that packs so well repeats itself: OpenAI's limit. */
const MAX_COMPRESSION_RATIO = 2.4;
const CHECK_INTERVAL_TOKENS = 32;
/** A language that is less likely is not tried. */
const MIN_LANGUAGE_SHARE = 0.002;
const MAX_LANGUAGES = 3;
const CERTAIN_LANGUAGE_SHARE = 0.5;

export type Language = { readonly token: number; readonly code: string };

export type LanguageDetection = {
  /** The likeliest first; none in models of one language. */
  readonly languages: readonly Language[];
  /** Probability that nobody speaks, 0 to 1. */
  readonly noSpeech: number;
};

export type DecodedText = {
  readonly tokens: readonly ChosenToken[];
  readonly language: Language | undefined;
  /** Mean log probability of the tokens. */
  readonly mean: number;
  /** The text repeats itself and was stopped. */
  readonly isRepetitive: boolean;
};

/**
 * Returns likely languages and the probability of no speech. `before`: the language detected so
 * far.
 */
export async function detectLanguage(
  decode: Decoding,
  tokens: SpeechTokens,
  before: string | undefined,
): Promise<LanguageDetection> {
  const logits = await decode(tokens.start);
  const noSpeech = tokens.noSpeech === undefined ? 0 : softmax(logits)(tokens.noSpeech);
  const share = softmax(
    Float32Array.from([...tokens.languages.keys()], (id) => logits[id] ?? -Infinity),
  );
  const all = [...tokens.languages]
    .map(([token, code], at) => ({ token, code, share: share(at) }))
    .toSorted((a, b) => b.share - a.share);
  // Too uncertain: prefer the language detected so far.
  const isKnown = (code: string) => Number(code === before);
  if (all[0] && all[0].share < CERTAIN_LANGUAGE_SHARE) {
    all.sort((a, b) => isKnown(b.code) - isKnown(a.code));
  }
  const languages = all
    .slice(0, MAX_LANGUAGES)
    .filter((one, at) => at === 0 || one.share >= MIN_LANGUAGE_SHARE);
  return { languages, noSpeech };
}

/** Greedy decoding. `forbidRepetition`: bans repeated phrases. */
export async function decodeGreedily(
  decode: Decoding,
  tokens: SpeechTokens,
  language: Language | undefined,
  forbidRepetition: boolean,
): Promise<DecodedText> {
  let logits = await decode(tokens.start);
  if (language) {
    logits = await decode(language.token);
    if (tokens.transcribe !== undefined) logits = await decode(tokens.transcribe);
  }
  const chosen: ChosenToken[] = [];
  let sum = 0;
  for (let count = 1; count <= MAX_TOKENS; count++) {
    const next = chooseNextToken(logits, chosen, tokens, forbidRepetition);
    sum += next.logProbability;
    if (next.token === tokens.end) break;
    chosen.push(next);
    if (count % CHECK_INTERVAL_TOKENS === 0 && isRepetitive(chosen, tokens)) break;
    if (count < MAX_TOKENS) logits = await decode(next.token);
  }
  const mean = sum / (chosen.length + 1);
  return { tokens: chosen, language, mean, isRepetitive: isRepetitive(chosen, tokens) };
}

function isRepetitive(chosen: readonly ChosenToken[], { decode }: SpeechTokens): boolean {
  const text = Buffer.from(decode(chosen.map(({ token }) => token)));
  return text.length > MAX_COMPRESSION_RATIO * deflateRawSync(text).length;
}
