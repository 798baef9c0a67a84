import { getFirst } from '../../core/required.ts';
import type { SentenceModel } from '../models/installed.ts';
import { toFloats, integers, type Sessions } from './session.ts';
import { addScaled, normalize } from '../vectors/arithmetic.ts';
import { openTokenizer } from './tokenizers/open.ts';

export type Sentences = (text: string) => Promise<Float32Array>;

/** Tokens; what follows is not read. */
const MOST = 128;

/** MiniLM: the mean of what it makes of each word. */
export async function openSentences(sessions: Sessions, model: SentenceModel): Promise<Sentences> {
  const session = await sessions.open('sentences', model.model);
  const tokenizer = openTokenizer(model.tokenizer);
  return async (text) => {
    const tokens = tokenizer.encode(text, MOST);
    const shape = [1, tokens.length];
    const constant = (value: number) =>
      integers(
        tokens.map(() => value),
        shape,
      );
    const found = await session.run({
      input_ids: integers(tokens, shape),
      attention_mask: constant(1),
      ...(session.inputs.includes('token_type_ids') ? { token_type_ids: constant(0) } : {}),
    });
    const states = toFloats(found[getFirst(session.outputs)]);
    const length = states.length / tokens.length;
    const sum = new Float32Array(length);
    for (let at = 0; at < states.length; at += length) {
      addScaled(sum, states.subarray(at, at + length), 1);
    }
    return normalize(sum);
  };
}
