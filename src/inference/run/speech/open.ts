import { deflateRawSync } from 'node:zlib';
import type { SpeechModel } from '../../models/installed.ts';
import type { HeardWindow, SpokenLine } from '../../types.ts';
import { floats, type Sessions } from '../session.ts';
import { chooseNext, type Said } from './choice.ts';
import { type Decoding, openDecoder } from './decoder.ts';
import { FRAMES, openLogMel, SAMPLE_RATE, WINDOW_SAMPLES } from './mel.ts';
import { segmentsOf } from './segments.ts';
import { openSpeechTokens, type SpeechTokens } from './tokens.ts';
import { findVoice } from './voice.ts';

/** `before`: the language heard so far, for words too few to tell. */
export type Speech = (samples: Int16Array, before: string | undefined) => Promise<HeardWindow>;

/** What the encoder makes of it; some give what they looked at, too. */
const SOUND = 'last_hidden_state';
/** More words than anybody says in half a minute. */
const MOST_TOKENS = 224;
/** It is surer than this that nobody speaks, and not sure of what it wrote … */
const SURE_OF_SILENCE = 0.6;
const SURE_OF_WORDS = Math.log(0.6);
/** … or of nothing that it wrote: OpenAI's limit. */
const LEAST_MEAN = -1;
/** A text that packs so well repeats itself: OpenAI's limit. */
const MOST_PACKED = 2.4;
const SURE_OF_LANGUAGE = 0.5;
/** A window takes us so much further at least. */
const LEAST_STEP_MS = 5000;

/** Whisper: 30 seconds of sound at most, as text with times. */
export async function openSpeech(sessions: Sessions, model: SpeechModel): Promise<Speech> {
  const tokens = openSpeechTokens(model);
  const encoder = await sessions.open('speech', model.encoder, (name) => name === SOUND);
  const decoder = await openDecoder(sessions, model);
  const logMel = openLogMel(model.bins);

  return async (given, before) => {
    const samples = given.subarray(0, WINDOW_SAMPLES);
    const lengthMs = (samples.length / SAMPLE_RATE) * 1000;
    const voice = findVoice(samples);
    const nothing: HeardWindow = { language: before, lines: [], heardMs: lengthMs };
    if (voice.startMs === undefined) return nothing;
    const mel = logMel(Float32Array.from(samples, (sample) => sample / 32768));
    const input = { [encoder.inputs[0]!]: floats(mel, [1, model.bins, FRAMES]) };
    const { [encoder.outputs[0]!]: sound } = await encoder.run(input, [encoder.outputs[0]!]);
    let heard = await writeDown(decoder(sound!), tokens, before, false);
    if (heard.packed > MOST_PACKED) heard = await writeDown(decoder(sound!), tokens, before, true);
    if (heard.mean < LEAST_MEAN || heard.packed > MOST_PACKED) return nothing;
    if (heard.noSpeech > SURE_OF_SILENCE && heard.mean < SURE_OF_WORDS) return nothing;
    // The last window has nothing behind it.
    const leastMs = samples.length === WINDOW_SAMPLES ? LEAST_STEP_MS : Infinity;
    const { lines, cutAtMs } = segmentsOf(heard.said, tokens, { lengthMs, leastMs });
    return {
      language: heard.language,
      // Words where nothing sounds were not said.
      lines: lines.filter(({ startMs, endMs }: SpokenLine) => voice.sounds(startMs, endMs)),
      heardMs: cutAtMs ?? lengthMs,
    };
  };
}

type Written = {
  readonly said: readonly Said[];
  readonly language: string | undefined;
  readonly noSpeech: number;
  /** Of the logarithms of the probabilities of what was said. */
  readonly mean: number;
  readonly packed: number;
};

/** The likeliest token each time. */
async function writeDown(
  decode: Decoding,
  tokens: SpeechTokens,
  before: string | undefined,
  noCircles: boolean,
): Promise<Written> {
  let logits = await decode(tokens.start);
  const noSpeech = tokens.noSpeech === undefined ? 0 : shareOf(logits, tokens.noSpeech);
  const language = languageOf(logits, tokens, before);
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
    if (count < MOST_TOKENS) logits = await decode(next.token);
  }
  const text = Buffer.from(tokens.textOf(said.map(({ token }) => token)));
  return {
    said,
    language: language?.code,
    noSpeech,
    mean: sum / (said.length + 1),
    packed: text.length / Math.max(1, deflateRawSync(text).length),
  };
}

function shareOf(logits: Float32Array, token: number): number {
  const top = logits.reduce((most, value) => Math.max(most, value), -Infinity);
  const all = logits.reduce((sum, value) => sum + Math.exp(value - top), 0);
  return Math.exp(logits[token]! - top) / all;
}

/** The likeliest one; the one before when the model is not sure. */
function languageOf(logits: Float32Array, { languages }: SpeechTokens, before: string | undefined) {
  if (languages.size === 0) return undefined;
  const among = [...languages].map(([token, code]) => ({ token, code, logit: logits[token]! }));
  const best = among.reduce((most, one) => (one.logit > most.logit ? one : most));
  const all = among.reduce((sum, { logit }) => sum + Math.exp(logit - best.logit), 0);
  if (1 / all >= SURE_OF_LANGUAGE) return best;
  return among.find(({ code }) => code === before) ?? best;
}
