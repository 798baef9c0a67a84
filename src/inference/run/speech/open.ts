import { releaseGarbage } from '../../../core/malloc.ts';
import { getFirst, requireValue } from '../../../core/required.ts';
import type { SpeechModel } from '../../models/installed.ts';
import { ENCODER_OUTPUT } from '../../models/prepared.ts';
import type { TranscribedWindow } from '../../types.ts';
import { feed, floats, type Sessions, type Tensor } from '../session.ts';
import { type Decoder, openDecoder } from './decoder.ts';
import { FRAMES, openLogMel, SAMPLE_RATE, WINDOW_SAMPLES } from './mel.ts';
import { toSegments } from './segments.ts';
import { openSpeechTokens, type SpeechTokens } from './tokens.ts';
import { detectVoice } from './voice.ts';
import { detectLanguage, decodeGreedily, type DecodedText } from './transcription.ts';

/** `before`: the language heard so far, for words too few to tell. */
export type Speech = (
  samples: Int16Array,
  before: string | undefined,
) => Promise<TranscribedWindow>;

/** It is surer than this that nobody speaks, and not sure of what it wrote … */
const MIN_NO_SPEECH = 0.6;
const CERTAIN_MEAN = Math.log(0.6);
/** … or of nothing that it wrote: OpenAI's limit. */
const MIN_MEAN = -1;
/** In a language that it did not take for the likeliest. */
const MIN_MEAN_OTHER_LANGUAGE = -0.7;
/** A window takes us so much further at least. */
const MIN_STEP_MS = 5000;

/** Whisper: 30 seconds of sound at most, as text with times. */
export async function openSpeech(sessions: Sessions, model: SpeechModel): Promise<Speech> {
  const tokens = openSpeechTokens(model);
  const encoder = await sessions.open('speech', model.encoder, { use: 'speechEncoder' });
  const decoder = await openDecoder(sessions, model);
  const logMel = openLogMel(model.bins);

  return async (given, before) => {
    const samples = given.subarray(0, WINDOW_SAMPLES);
    const lengthMs = (samples.length / SAMPLE_RATE) * 1000;
    const voice = detectVoice(samples);
    const nothing: TranscribedWindow = { language: before, lines: [], transcribedMs: lengthMs };
    if (voice.startMs === undefined) return nothing;
    const mel = logMel(Float32Array.from(samples, (sample) => sample / 32768));
    // The encoder takes most of all: first, what was made of the last window goes.
    releaseGarbage();
    const output =
      encoder.outputs.find((name) => name === ENCODER_OUTPUT) ?? getFirst(encoder.outputs);
    const found = await feed(encoder, floats(mel, [1, model.bins, FRAMES]), [output]);
    const sound = requireValue(found[output], 'output of the encoder');
    const heard = await transcribeSound(decoder, sound, tokens, before);
    if (!heard) return nothing;
    // The last window has nothing behind it.
    const leastMs = samples.length === WINDOW_SAMPLES ? MIN_STEP_MS : Infinity;
    const { lines, cutAtMs } = toSegments(heard.tokens, tokens, { lengthMs, leastMs });
    return {
      language: heard.language?.code,
      // Words where nothing sounds were not said.
      lines: lines.filter(({ startMs, endMs }) => voice.sounds(startMs, endMs)),
      transcribedMs: cutAtMs ?? lengthMs,
    };
  };
}

/** Undefined: nobody speaks, or nothing can be made of it, in none of the likely languages. */
async function transcribeSound(
  decoder: Decoder,
  sound: Tensor,
  tokens: SpeechTokens,
  before: string | undefined,
): Promise<DecodedText | undefined> {
  const { languages, noSpeech } = await detectLanguage(decoder(sound), tokens, before);
  const write = (at: number, forbidRepetition = false) =>
    decodeGreedily(decoder(sound), tokens, languages[at], forbidRepetition);
  const first = await write(0);
  if (noSpeech > MIN_NO_SPEECH && first.mean < CERTAIN_MEAN) return undefined;
  if (isReliable(first)) return first;
  const again = first.isRepetitive ? await write(0, true) : first;
  if (isReliable(again)) return again;
  // Small models take an accent for another language, and are sure of it.
  for (let at = 1; at < languages.length; at++) {
    const other = await write(at);
    if (isReliable(other, MIN_MEAN_OTHER_LANGUAGE)) return other;
  }
  return undefined;
}

const isReliable = ({ mean, isRepetitive }: DecodedText, least = MIN_MEAN) =>
  mean >= least && !isRepetitive;
