import type { SpeechModel } from '../../models/installed.ts';
import { isDecoderOutput, PRESENT } from '../../models/prepared.ts';
import {
  floats,
  toFloats,
  integers,
  type Session,
  type Sessions,
  type Tensor,
  booleans,
} from '../session.ts';

/** Feeds one token and returns the logits of the next. */
export type Decoding = (token: number) => Promise<Float32Array>;
export type Decoder = (sound: Tensor) => Decoding;

type Feeds = Record<string, Tensor>;

const PAST = 'past_key_values.';
/**
 * Tokens between collections: results of a step are native memory, megabytes each, which the
 * collector does not see.
 */
const COLLECT_EVERY = 32;

/** Whisper's decoder with its key-value cache: as one file ("merged") or as two. */
export async function openDecoder(sessions: Sessions, model: SpeechModel): Promise<Decoder> {
  const open = (path: string) =>
    sessions.open('speech', path, { use: 'speechDecoder', keepsMemory: true });
  const first = await open(model.decoder);
  const later = model.decoderWithPast ? await open(model.decoderWithPast) : first;
  const { heads, headLength } = model;
  const nothing = (): Tensor => floats(new Float32Array(0), [1, heads, 0, headLength]);
  const isPast = (name: string) => name.startsWith(PAST);

  return (sound) => {
    let past: Feeds | undefined;
    let steps = 0;

    async function step(session: Session, token: number): Promise<Readonly<Feeds>> {
      const feeds: Feeds = { input_ids: integers([token], [1, 1]) };
      if (session.inputs.includes('encoder_hidden_states')) feeds['encoder_hidden_states'] = sound;
      for (const name of session.inputs.filter(isPast)) feeds[name] = past?.[name] ?? nothing();
      if (session.inputs.includes('use_cache_branch')) {
        feeds['use_cache_branch'] = booleans(past !== undefined);
      }
      const isAgain = (name: string) => past !== undefined && name.includes('.encoder.');
      return session.run(
        feeds,
        session.outputs.filter((name) => isDecoderOutput(name) && !isAgain(name)),
      );
    }

    return async (token) => {
      if (steps++ % COLLECT_EVERY === 0) Bun.gc(true);
      const found = await step(past ? later : first, token);
      // The cross-attention cache is made by the first step alone.
      const kept = Object.entries(found).flatMap(([name, tensor]) =>
        name.startsWith(PRESENT) ? [[PAST + name.slice(PRESENT.length), tensor] as const] : [],
      );
      past = { ...past, ...Object.fromEntries(kept) };
      return toFloats(found['logits']);
    };
  };
}
