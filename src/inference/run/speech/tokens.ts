import { readFileSync } from 'node:fs';
import { byteLetters } from '../tokenizers/bpe.ts';
import { readTokenizerFile } from '../tokenizers/file.ts';
import type { SpeechModel } from '../../models/installed.ts';

/** The words of a Whisper model, and those that steer it. */
export type SpeechTokens = {
  readonly start: number;
  readonly end: number;
  /** Undefined in models of one language. */
  readonly transcribe: number | undefined;
  /** Undefined: the model does not say whether anybody speaks. */
  readonly noSpeech: number | undefined;
  /** The number of 0.00 seconds; a next one for every 20 ms. */
  readonly firstTime: number;
  /** As 'en', by their numbers; none in models of one language. */
  readonly languages: ReadonlyMap<number, string>;
  /** Never said: marks that nobody speaks, and what steers the model. */
  readonly never: readonly number[];
  /** Never said first. */
  readonly notFirst: readonly number[];
  readonly decode: (tokens: readonly number[]) => string;
};

/** Throws where the files are not those of Whisper. */
export function openSpeechTokens({ tokenizer, config, generation }: SpeechModel): SpeechTokens {
  const file = readTokenizerFile(tokenizer);
  const vocabulary = Object.entries(file.model.vocab as Readonly<Record<string, number>>);
  const added = new Map((file.added_tokens ?? []).map(({ id, content }) => [content, id]));
  const settings = { ...readJson(config), ...(generation ? readJson(generation) : {}) };
  const findId = (name: string, ...others: string[]): number | undefined =>
    [name, ...others].map((each) => added.get(`<|${each}|>`)).find((id) => id !== undefined);
  const required = (name: string): number => {
    const id = findId(name);
    if (id === undefined) throw new Error(`${tokenizer} has no <|${name}|>`);
    return id;
  };
  const end = required('endoftext');
  const firstTime = required('notimestamps') + 1;
  const isMultilingual = settings['is_multilingual'] !== false;
  const isSteering = (id: number) => id > end && id < firstTime;
  return {
    start: required('startoftranscript'),
    end,
    transcribe: isMultilingual ? findId('transcribe') : undefined,
    noSpeech: findId('nospeech', 'nocaptions'),
    firstTime,
    languages: isMultilingual ? listLanguages(added) : new Map(),
    never: [...toTokenIds(settings['suppress_tokens']), ...[...added.values()].filter(isSteering)],
    notFirst: [...toTokenIds(settings['begin_suppress_tokens']), end],
    decode: createDecoder(vocabulary, end),
  };
}

/** Two or three letters between the marks: the rest is longer. */
function listLanguages(added: ReadonlyMap<string, number>): Map<number, string> {
  return new Map(
    [...added].flatMap(([content, id]) => {
      const code = /^<\|([a-z]{2,3})\|>$/.exec(content)?.[1];
      return code === undefined ? [] : [[id, code]];
    }),
  );
}

/** Each letter of a word stands for a byte; only together they are UTF-8. */
function createDecoder(vocabulary: readonly (readonly [string, number])[], end: number) {
  const words = new Map(vocabulary.map(([word, id]) => [id, word]));
  const bytes = new Map(byteLetters().map((letter, byte) => [letter, byte]));
  const decoder = new TextDecoder();
  return (tokens: readonly number[]): string => {
    const all = tokens
      .filter((id) => id < end)
      .flatMap((id) => Array.from(words.get(id) ?? '', (letter) => bytes.get(letter) ?? 0x20));
    // A character that was cut off at the end of a line.
    return decoder.decode(Uint8Array.from(all)).replaceAll('\uFFFD', '').trim();
  };
}

const toTokenIds = (value: unknown): number[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'number' && one >= 0) : [];

const readJson = (path: string) =>
  JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, unknown>>;
