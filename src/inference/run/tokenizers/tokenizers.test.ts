import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { clipTokenizer } from '../../../../test/support/generated-models.ts';
import { MODELS } from '../../../../test/support/models.ts';
import { skipWithout } from '../../../../test/support/requirements.ts';
import { bytePair } from './bpe.ts';
import { openTokenizer } from './open.ts';
import { unigram } from './unigram.ts';
import { wordPiece } from './wordpiece.ts';

test('WordPiece: no case, no accents, longest known pieces, unknown words as a whole', () => {
  const vocab = { '[UNK]': 0, '[CLS]': 1, '[SEP]': 2, strass: 3, '##en': 4, ',': 5, zurich: 6 };
  const tokenizer = wordPiece({
    model: { vocab },
    post_processor: {
      type: 'TemplateProcessing',
      single: [
        { SpecialToken: { id: '[CLS]' } },
        { Sequence: {} },
        { SpecialToken: { id: '[SEP]' } },
      ],
      special_tokens: { '[CLS]': { ids: [1] }, '[SEP]': { ids: [2] } },
    },
  });
  expect(tokenizer.encode('Strassen, Zürich xyz', 20)).toEqual([1, 3, 4, 5, 6, 0, 2]);
  expect(tokenizer.encode('Strassen, Zürich xyz', 4)).toEqual([1, 3, 4, 2]);
  expect(tokenizer.encode('', 20)).toEqual([1, 2]);
});

test("CLIP's byte pairs are joined in the order that was learned", () => {
  const file = clipTokenizer();
  const { vocab } = file.model;
  const tokenizer = bytePair(file as never);
  const ids = (...tokens: string[]) => tokens.map((token) => vocab[token]!);
  const framed = (...tokens: string[]) => ids('<|startoftext|>', ...tokens, '<|endoftext|>');
  expect(tokenizer.encode('Low', 77)).toEqual(framed('low</w>'));
  expect(tokenizer.encode('lower  LOW', 77)).toEqual(framed('low', 'er</w>', 'low</w>'));
  expect(tokenizer.encode('lower low', 4)).toEqual(framed('low', 'er</w>'));
  expect(tokenizer.findId('<|endoftext|>')).toBe(vocab['<|endoftext|>']);
});

test('Unigram: the likeliest cut as a whole, not the longest first piece', () => {
  const tokenizer = unigram({
    model: {
      type: 'Unigram',
      unk_id: 0,
      vocab: [
        ['<unk>', 0],
        ['</s>', 0],
        ['▁', -3],
        ['▁ab', -8],
        ['▁a', -2],
        ['bc', -2],
        ['c', -3],
      ],
    },
    post_processor: {
      type: 'TemplateProcessing',
      single: [{ Sequence: {} }, { SpecialToken: { id: '</s>' } }],
      special_tokens: { '</s>': { ids: [1] } },
    },
  });
  expect(tokenizer.encode('abc', 10)).toEqual([4, 5, 1]);
  expect(tokenizer.encode(' abc  é ', 10)).toEqual([4, 5, 2, 0, 1]);
});

const ALPHABETS = [
  'abc defgh the dog on a beach ',
  'äöüßéèñ Škoda Zürich ',
  '日本語 中文 字 한국어 ',
  'Привет мир ',
  '0123456789.,-!?\'"()[]{}@#$%^&*_+=',
  'ﬁ Ⅷ ＡＢ ½ \u0301\t\n\u00a0 ',
  'مرحبا हिन्दी ไทย ',
];

/** Returns pseudo-random texts of mixed scripts, the same ones in each run. */
function createTexts(count: number): string[] {
  let state = 7;
  const random = (below: number) => (state = (state * 16_807) % 2_147_483_647) % below;
  const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;
  return Array.from({ length: count }, () => {
    const letters = Array.from(pick(ALPHABETS) + pick(ALPHABETS.slice(0, 3)));
    return Array.from({ length: random(40) }, () => pick(letters)).join('');
  });
}

skipWithout('models').test(
  'ids of letters and ASCII symbols equal those of @huggingface/tokenizers',
  async () => {
    const path = join(MODELS!, 'text/all-MiniLM-L6-v2/tokenizer.json');
    const tokenizer = openTokenizer(path);
    const reference = new Tokenizer((await Bun.file(path).json()) as object, {});
    const texts = ['', ' ', "don't", 'well-known', "l'été", 'x'.repeat(150), ...createTexts(2000)];
    for (const text of texts) {
      expect(tokenizer.encode(text, 100_000)).toEqual(reference.encode(text).ids);
    }
  },
);
