import { getFirst } from '../../core/required.ts';
import type { ClipModel, ClipPreprocess } from '../models/installed.ts';
import type { Pixels } from '../types.ts';
import { toChannelsFirst } from './channels.ts';
import { resize } from './picture.ts';
import { feed, floats, toFloats, integers, type Session, type Sessions } from './session.ts';
import { openTokenizer } from './tokenizers/open.ts';
import type { Tokenizer } from './tokenizers/file.ts';
import { normalize } from '../vectors/arithmetic.ts';

export type ClipImages = (picture: Pixels) => Promise<Float32Array>;
export type ClipTexts = (text: string) => Promise<Float32Array>;

/** The image encoder, as exported for Immich. */
export async function openClipImages(sessions: Sessions, model: ClipModel): Promise<ClipImages> {
  const session = await sessions.open('clip', model.visual);
  const { size } = model.preprocess;
  return async (picture) => {
    const input = toChannelsFirst(
      await fit(picture, model.preprocess),
      toByteScale(model.preprocess),
    );
    const found = await feed(session, floats(input, [1, 3, size, size]));
    return normalize(toFloats(found[getFirst(session.outputs)]));
  };
}

const fit = (picture: Pixels, { size, interpolation, resize: mode }: ClipPreprocess) =>
  resize(picture, size, size, {
    fit: mode === 'squash' ? 'fill' : 'cover',
    kernel: KERNELS[interpolation],
  });

const KERNELS = { bicubic: 'cubic', bilinear: 'linear', nearest: 'nearest' } as const;

/** Mean and std are for values from 0 to 1. */
const toByteScale = ({ mean, std }: ClipPreprocess) => ({
  mean: mean.map((value) => value * 255),
  std: std.map((value) => value * 255),
});

/** The text encoder. */
export async function openClipTexts(sessions: Sessions, model: ClipModel): Promise<ClipTexts> {
  const session = await sessions.open('clip-text', model.textual);
  const tokenizer = openTokenizer(model.tokenizer);
  const padding = tokenizer.findId(model.padToken ?? '') ?? 0;
  return async (text) => {
    const feeds = toFeeds(session, tokenize(tokenizer, model, text), padding, model.contextLength);
    const found = await session.run(feeds);
    return normalize(toFloats(found[getFirst(session.outputs)]));
  };
}

function tokenize(tokenizer: Tokenizer, model: ClipModel, text: string): number[] {
  const plain = model.lowercase ? text.toLowerCase().replaceAll(/\p{P}/gu, '') : text;
  return tokenizer.encode(plain, model.contextLength);
}

/** Token ids padded to a fixed length, and for multilingual models an attention mask. */
function toFeeds(session: Session, tokens: readonly number[], padding: number, length: number) {
  const shape = [1, length];
  const padded = Array.from({ length }, (_, at) => tokens[at] ?? padding);
  const counted = Array.from({ length }, (_, at) => (at < tokens.length ? 1 : 0));
  return Object.fromEntries(
    session.inputs.map((name) => [
      name,
      integers(name === 'attention_mask' ? counted : padded, shape, session.isLong(name)),
    ]),
  );
}
