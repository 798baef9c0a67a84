import { expect, test } from 'bun:test';
import { createSeededRandom } from '../../../../test/support/effort.ts';
import { rankCorrections, editDistance } from '../../../core/edit-distance.ts';
import {
  foldInPlace,
  joinCutWords,
  toPrefixTsquery,
  toRecognisedTsquery,
  buildTextVector,
  tokenize,
} from './words.ts';

test('words of Latin letters and digits are the same ones as within other text', () => {
  const random = createSeededRandom('plain words');
  const letters = ['a', 'b', '1', '9', ' ', ' '];
  for (let round = 0; round < 500; round++) {
    const text = Array.from({ length: random.below(20) }, () => letters[random.below(6)]).join('');
    expect(tokenize(text)).toEqual(tokenize(`${text} 😀`));
  }
});

test('tokenizes any script without diacritics and case', () => {
  expect(tokenize('Škoda im GROSSEN Straßenverkehr')).toEqual([
    'skoda',
    'im',
    'grossen',
    'strassenverkehr',
  ]);
  expect(tokenize('Привет, мир!')).toEqual(['привет', 'мир']);
  expect(tokenize('東京の夜景')).toEqual(['東京', 'の', '夜景']);
  expect(tokenize('IMG_2019-Lisbon.final')).toEqual(['img', '2019', 'lisbon', 'final']);
  expect(tokenize("it's ﬁne")).toEqual(["it's", 'fine']);
  expect(tokenize(' \n ')).toEqual([]);
  expect(tokenize(`4k  ${'a'.repeat(99)} x2`)).toEqual(['4k', 'a'.repeat(60), 'x2']);
});

test('a list of words is a tsvector with a weight for each source', () => {
  const { words, vector } = buildTextVector({
    chosen: ['Beach', "it's"],
    places: ['Lisbon'],
    names: ['beach 1'],
    recognised: ['LISBON'],
  });
  expect(words).toEqual(['beach', "it's", 'lisbon', '1']);
  expect(vector).toBe("'beach':1A,3C 'its':1A 'lisbon':2B,4D '1':3C");
});

test('a query requires all words as prefixes', () => {
  expect(toPrefixTsquery([])).toBeUndefined();
  expect(toPrefixTsquery(['a', 'b'], new Map([['b', ['c']]]))).toBe("('a':*) & ('b':* | 'c')");
  expect(toRecognisedTsquery('Total 5')).toBe("(('total':*D) & ('5':*D)) | 'total5':D");
  expect(toRecognisedTsquery(' ! ')).toBeUndefined();
});

test.each([
  ['Frische Bröt-\nchen und Straßen-\n bahn', ['brotchen', 'strassenbahn']],
  ['J.PMorgan', ['jpmorgan']],
  ['J. P. Morgan & Co', ['jpmorgan']],
  ['T-Rex, A&O und www.safelight.example/photos/of/everything', ['trex', 'ao']],
  ['U.S.A. 3.5 kg', ['usa', '35']],
  ['Rhein -\nRuhr Bonn-\nKöln', []],
  ['RE16 TGK\nB AB 123\nin 3 Minuten zum Bahnhof', ['re16tgk', 'bab123']],
  ['plain words only', []],
])('words that %p cuts are joined', (text, joined) => {
  expect(joinCutWords(text)).toEqual(joined);
});

test('folding in place keeps the offsets', () => {
  for (const text of ['Ärger im Öl', 'ﬁne', 'İstanbul', '東京 2019', 'Weiß', '👩‍👩‍👧 é']) {
    expect(foldInPlace(text)).toHaveLength(text.length);
  }
  expect(foldInPlace('März')).toBe('marz');
});

test('corrections are within one or two edits', () => {
  for (const [a, b, slips] of [
    ['beach', 'beach', 0],
    ['baech', 'beach', 1],
    ['beech', 'beach', 1],
    ['bech', 'beach', 1],
    ['beachh', 'beach', 1],
    ['', 'abc', 3],
    ['kitten', 'sitting', 3],
  ] as const) {
    expect([a, b, editDistance(a, b)]).toEqual([a, b, slips]);
  }
  expect(rankCorrections('beech', ['beach', 'speech', 'bench', 'beech'])).toEqual([
    'beach',
    'bench',
  ]);
  expect(rankCorrections('xylofons', ['xylophones'])).toEqual([]);
  expect(rankCorrections('zepellin', ['zeppelin'])).toEqual(['zeppelin']);
});
