import { readFileSync } from 'node:fs';

/** Encodes a text to at most `most` token ids, with start and end tokens. */
export type Tokenizer = {
  encode(text: string, most: number): number[];
  /** Undefined for what the model does not know. */
  findId(token: string): number | undefined;
};

/** The part of a Hugging Face tokenizer.json that is used. */
export type TokenizerFile = {
  readonly model: {
    readonly type?: string;
    readonly vocab: Readonly<Record<string, number>> | readonly (readonly [string, number])[];
    readonly merges?: readonly (string | readonly [string, string])[];
    readonly end_of_word_suffix?: string | null;
    readonly unk_id?: number | null;
  };
  readonly post_processor?: PostProcessor | null;
  readonly added_tokens?: readonly { readonly id: number; readonly content: string }[];
};

type PostProcessor = {
  readonly type: string;
  readonly cls?: readonly [string, number];
  readonly sep?: readonly [string, number];
  readonly single?: readonly (
    { readonly SpecialToken: { readonly id: string } } | { readonly Sequence: unknown }
  )[];
  readonly special_tokens?: Readonly<Record<string, { readonly ids: readonly number[] }>>;
  readonly processors?: readonly PostProcessor[];
};

export const readTokenizerFile = (path: string): TokenizerFile =>
  JSON.parse(readFileSync(path, 'utf8')) as TokenizerFile;

/** Tokens before and after every text. */
export type Frame = { readonly before: readonly number[]; readonly after: readonly number[] };

export function parseFrame(processor: PostProcessor | null | undefined): Frame {
  const none: Frame = { before: [], after: [] };
  if (!processor) return none;
  const { type, cls, sep, single, special_tokens: tokens, processors } = processor;
  if (type === 'Sequence') {
    const frames = (processors ?? []).map(parseFrame);
    return frames.find(({ before, after }) => before.length + after.length > 0) ?? none;
  }
  if (cls && sep) return { before: [cls[1]], after: [sep[1]] };
  if (!single) return none;
  const text = single.findIndex((part) => 'Sequence' in part);
  const getTokenIds = (parts: typeof single) =>
    parts.flatMap((part) =>
      'SpecialToken' in part ? (tokens?.[part.SpecialToken.id]?.ids ?? []) : [],
    );
  return { before: getTokenIds(single.slice(0, text)), after: getTokenIds(single.slice(text + 1)) };
}

export const addSpecialTokens = (
  { before, after }: Frame,
  tokens: readonly number[],
  most: number,
) => [...before, ...tokens.slice(0, Math.max(0, most - before.length - after.length)), ...after];
