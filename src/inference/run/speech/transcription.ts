import { deflateRawSync } from 'node:zlib';
import { chooseNext, type Said } from './token-choice.ts';
import type { Decoding } from './decoder.ts';
import type { SpeechTokens } from './tokens.ts';

/** More words than anybody says in half a minute. */
const MOST_TOKENS = 224;
/** A text that packs so well repeats itself: OpenAI's limit. */
const MOST_PACKED = 2.4;
const LOOK_EVERY = 32;
/** A language that is less likely is not tried. */
const LEAST_LIKELY = 0.002;
const MOST_LANGUAGES = 3;
const SURE_OF_LANGUAGE = 0.5;

export type Language = { readonly token: number; readonly code: string };

export type Beginning = {
  /** The likeliest first; none in models of one language. */
  readonly languages: readonly Language[];
  /** How sure the model is that nobody speaks, 0 to 1. */
  readonly noSpeech: number;
};

export type Written = {
  readonly said: readonly Said[];
  readonly language: Language | undefined;
  /** Of the logarithms of the probabilities of what was said. */
  readonly mean: number;
  /** It went round in circles, and was stopped. */
  readonly isCircle: boolean;
};

/** What the model makes of the sound before it says anything. `before`: the language heard so far. */
export async function listen(
  decode: Decoding,
  tokens: SpeechTokens,
  before: string | undefined,
): Promise<Beginning> {
  const logits = await decode(tokens.start);
  const noSpeech = tokens.noSpeech === undefined ? 0 : sharesOf(logits)(tokens.noSpeech);
  const share = sharesOf(Float32Array.from([...tokens.languages.keys()], (id) => logits[id]!));
  const all = [...tokens.languages]
    .map(([token, code], at) => ({ token, code, share: share(at) }))
    .toSorted((a, b) => b.share - a.share);
  // Of words too few to tell it is the one before.
  const isKnown = (code: string) => Number(code === before);
  if (all[0] && all[0].share < SURE_OF_LANGUAGE) {
    all.sort((a, b) => isKnown(b.code) - isKnown(a.code));
  }
  const languages = all
    .slice(0, MOST_LANGUAGES)
    .filter((one, at) => at === 0 || one.share >= LEAST_LIKELY);
  return { languages, noSpeech };
}

/** The probability of each place. */
function sharesOf(logits: Float32Array): (at: number) => number {
  const top = logits.reduce((most, value) => Math.max(most, value), -Infinity);
  const all = logits.reduce((sum, value) => sum + Math.exp(value - top), 0);
  return (at) => Math.exp(logits[at]! - top) / all;
}

/** The likeliest token each time. `noCircles`: nothing is said again. */
export async function writeDown(
  decode: Decoding,
  tokens: SpeechTokens,
  language: Language | undefined,
  noCircles: boolean,
): Promise<Written> {
  let logits = await decode(tokens.start);
  if (language) {
    logits = await decode(language.token);
    if (tokens.transcribe !== undefined) logits = await decode(tokens.transcribe);
  }
  const said: Said[] = [];
  let sum = 0;
  for (let count = 1; count <= MOST_TOKENS; count++) {
    const next = chooseNext(logits, said, tokens, noCircles);
    sum += next.logProbability;
    if (next.token === tokens.end) break;
    said.push(next);
    if (count % LOOK_EVERY === 0 && isCircle(said, tokens)) break;
    if (count < MOST_TOKENS) logits = await decode(next.token);
  }
  const mean = sum / (said.length + 1);
  return { said, language, mean, isCircle: isCircle(said, tokens) };
}

function isCircle(said: readonly Said[], { textOf }: SpeechTokens): boolean {
  const text = Buffer.from(textOf(said.map(({ token }) => token)));
  return text.length > MOST_PACKED * deflateRawSync(text).length;
}
