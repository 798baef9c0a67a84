import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { newGraph } from '../../src/inference/onnx/graph.ts';

// A Whisper in small, with made-up weights: its encoder hears whether sound is high or low, and its
// decoder writes down one of two fixed texts, token by token, as the real one does with its past.

/** Spoken by a low and by a high voice: texts, and times in steps of 20 ms. */
export type Script = readonly (string | number)[];
export type SpeechShape = {
  readonly low: Script;
  readonly high: Script;
  /** The language that it hears; as 'en' unless given. */
  readonly language?: string;
  /** Probability that nobody speaks, 0 to 1. */
  readonly noSpeech?: number;
  /** Confidence of each token: greater is surer. */
  readonly force?: number;
  /** One file for all steps, as the hub has it mostly, or one for the first and one for the others. */
  readonly isMerged?: boolean;
};

const BINS = 80;
const WIDTH = 4;
const STATES = 1500;
/** A byte each, and a word of two. */
const WORDS = ['Ġ', 'Ã', '©', ...'abcdefghijklmnopqrstuvwxyzABCDEFGHI.,'.split('')];
const END = WORDS.length;
const LANGUAGES = ['en', 'de', 'fr'];
const START = END + 1;
const FIRST_LANGUAGE = START + 1;
const TRANSLATE = FIRST_LANGUAGE + LANGUAGES.length;
const TRANSCRIBE = TRANSLATE + 1;
const NO_SPEECH = TRANSCRIBE + 1;
const NO_TIMES = NO_SPEECH + 1;
const FIRST_TIME = NO_TIMES + 1;
const TOKENS = FIRST_TIME + 1501;
const STEPS = 64;

const timeText = (at: number) => `<|${(at / 50).toFixed(2)}|>`;

function speechTokenizer() {
  const specials = [
    'endoftext',
    'startoftranscript',
    ...LANGUAGES,
    'translate',
    'transcribe',
    'nospeech',
    'notimestamps',
  ].map((name) => `<|${name}|>`);
  const times = Array.from({ length: 1501 }, (_, at) => timeText(at));
  return {
    model: {
      type: 'BPE',
      vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])),
      merges: [],
    },
    added_tokens: [...specials, ...times].map((content, at) => ({ id: END + at, content })),
  };
}

/** Letters as the tokenizer writes their bytes. */
const LETTERS: Readonly<Record<string, string>> = { ' ': 'Ġ', é: 'Ã©' };
const toIds = (text: string): number[] =>
  Array.from(text, (letter) => LETTERS[letter] ?? letter)
    .flatMap((letters) => Array.from(letters))
    .map((letter) => {
      const id = WORDS.indexOf(letter);
      if (id < 0) throw new Error(`The made-up tokenizer has no ${letter}`);
      return id;
    });

const toTokens = (script: Script): number[] =>
  script.flatMap((part) => (typeof part === 'number' ? [FIRST_TIME + part] : toIds(part)));

/** Row by row what is likely after 0, 1, 2 … tokens: the language, nothing twice, then the script. */
function toTable(shape: SpeechShape, script: Script): Float32Array {
  const { language = 'en', noSpeech = 0, force = 20 } = shape;
  const table = new Float32Array(STEPS * TOKENS);
  const said = toTokens(script);
  for (let step = 0; step < STEPS; step++) {
    const token = step < 2 ? START : (said[step - 2] ?? END);
    table[step * TOKENS + token] = force;
  }
  table.fill(0, 0, TOKENS);
  table[FIRST_LANGUAGE + LANGUAGES.indexOf(language)] = 10;
  // All others together are about e^10 · 1 + the number of tokens.
  const others = Math.exp(10) + TOKENS - 2;
  table[NO_SPEECH] = noSpeech > 0 ? Math.log((others * noSpeech) / (1 - noSpeech)) : -10;
  return table;
}

function encoder(): Uint8Array {
  const graph = newGraph();
  graph.input('input_features', ['batch', BINS, 3000]);
  const mean = (from: number, to: number) => {
    const part = graph.node('Slice', [
      'input_features',
      graph.integers([from]),
      graph.integers([to]),
      graph.integers([1]),
    ]);
    return graph.node('ReduceMean', [part], { attributes: { keepdims: 0 } });
  };
  const difference = graph.node('Sub', [mean(45, BINS), mean(0, 35)]);
  graph.node('Expand', [difference, graph.integers([1, STATES, WIDTH])], {
    outputs: ['last_hidden_state'],
  });
  graph.output('last_hidden_state', ['batch', STATES, WIDTH]);
  // As real ones have it: never asked for.
  graph.node('Expand', [difference, graph.integers([1, 1, 8, 8])], {
    outputs: ['encoder_attentions.0'],
  });
  graph.output('encoder_attentions.0', ['batch', 1, 8, 8]);
  return graph.finish();
}

type Part = 'merged' | 'first' | 'later';

/** The length of the past states gives the number of tokens; the words come with the sound. */
function decoder(shape: SpeechShape, part: Part): Uint8Array {
  const graph = newGraph();
  graph.input('input_ids', ['batch', 'tokens'], 'int64');
  if (part !== 'later') graph.input('encoder_hidden_states', ['batch', STATES, WIDTH]);
  const past = 'past_key_values.0.decoder.key';
  if (part !== 'first') {
    graph.input(past, ['batch', 1, 'past', WIDTH]);
    graph.input('past_key_values.0.encoder.key', ['batch', 1, 'sound', WIDTH]);
  }
  if (part === 'merged') graph.input('use_cache_branch', [1], 'bool');
  const one = graph.floats([0, 0, 0, 0], [1, 1, 1, WIDTH]);
  const present = { outputs: ['present.0.decoder.key'] };
  if (part === 'first') graph.node('Identity', [one], present);
  else graph.node('Concat', [past, one], { ...present, attributes: { axis: 2 } });
  const count =
    part === 'first'
      ? graph.integers([0])
      : graph.node('Slice', [
          graph.node('Shape', [past]),
          graph.integers([2]),
          graph.integers([3]),
        ]);
  const heard =
    part === 'later'
      ? 'past_key_values.0.encoder.key'
      : graph.node('Unsqueeze', ['encoder_hidden_states', graph.integers([1])]);
  graph.node('Identity', [heard], { outputs: ['present.0.encoder.key'] });
  const level = graph.node('ReduceMean', [heard], { attributes: { keepdims: 0 } });
  const isHigh = graph.node('Greater', [level, graph.floats([0], [])]);
  const row = graph.node('Add', [
    count,
    graph.node('Mul', [
      graph.node('Cast', [isHigh], { attributes: { to: 7 } }),
      graph.integers([STEPS]),
    ]),
  ]);
  const [low, high] = [toTable(shape, shape.low), toTable(shape, shape.high)];
  const table = new Float32Array(low.length + high.length);
  table.set(low);
  table.set(high, low.length);
  const logits = graph.node('Gather', [graph.floats(table, [2 * STEPS, TOKENS]), row]);
  graph.node('Reshape', [logits, graph.integers([1, 1, TOKENS])], { outputs: ['logits'] });
  graph.output('logits', ['batch', 'tokens', TOKENS]);
  graph.output('present.0.decoder.key', ['batch', 1, 'all', WIDTH]);
  graph.output('present.0.encoder.key', ['batch', 1, 'sound', WIDTH]);
  return graph.finish();
}

/** As the hub has it: `<folder>/{config.json, tokenizer.json, …, onnx/*.onnx}`. */
export async function writeSpeech(folder: string, shape: SpeechShape): Promise<void> {
  await mkdir(join(folder, 'onnx'), { recursive: true });
  const write = (name: string, content: Uint8Array | object) =>
    Bun.write(
      join(folder, name),
      content instanceof Uint8Array ? content : JSON.stringify(content),
    );
  await write('config.json', {
    d_model: WIDTH,
    decoder_attention_heads: 1,
    num_mel_bins: BINS,
  });
  await write('generation_config.json', { begin_suppress_tokens: [0, END], is_multilingual: true });
  await write('tokenizer.json', speechTokenizer());
  await write('onnx/encoder_model.onnx', encoder());
  if (shape.isMerged ?? true) {
    await write('onnx/decoder_model_merged.onnx', decoder(shape, 'merged'));
  } else {
    await write('onnx/decoder_model.onnx', decoder(shape, 'first'));
    await write('onnx/decoder_with_past_model.onnx', decoder(shape, 'later'));
  }
}
