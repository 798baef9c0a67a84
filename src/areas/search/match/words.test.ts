import { expect, test } from 'bun:test';
import { meantWords, slipsBetween } from '../query/spelling.ts';
import { plain, queryOfWords, recognisedQuery, wordListOf, wordsOf } from './words.ts';

test('words of any script, without marks and capitals', () => {
  expect(wordsOf('Škoda im GROSSEN Straßenverkehr')).toEqual([
    'skoda',
    'im',
    'grossen',
    'strassenverkehr',
  ]);
  expect(wordsOf('Привет, мир!')).toEqual(['привет', 'мир']);
  expect(wordsOf('東京の夜景')).toEqual(['東京', 'の', '夜景']);
  expect(wordsOf('IMG_2019-Lisbon.final')).toEqual(['img', '2019', 'lisbon', 'final']);
  expect(wordsOf("it's ﬁne")).toEqual(["it's", 'fine']);
  expect(wordsOf(' \n ')).toEqual([]);
});

test('a list of words is a tsvector with a weight for each source', () => {
  const { words, vector } = wordListOf({
    chosen: ['Beach', "it's"],
    places: ['Lisbon'],
    names: ['beach 1'],
    recognised: ['LISBON'],
  });
  expect(words).toEqual(['beach', "it's", 'lisbon', '1']);
  expect(vector).toBe("'beach':1A,3C 'its':1A 'lisbon':2B,4D '1':3C");
});

test('a question is of all words, each by its beginning', () => {
  expect(queryOfWords([])).toBeUndefined();
  expect(queryOfWords(['a', 'b'], new Map([['b', ['c']]]))).toBe("('a':*) & ('b':* | 'c')");
  expect(recognisedQuery('Total 5')).toBe("'total':*D & '5':*D");
  expect(recognisedQuery(' ! ')).toBeUndefined();
});

test('plain text has the same places as the text', () => {
  for (const text of ['Ärger im Öl', 'ﬁne', 'İstanbul', '東京 2019', 'Weiß', '👩‍👩‍👧 é']) {
    expect(plain(text)).toHaveLength(text.length);
  }
  expect(plain('März')).toBe('marz');
});

test('slips of the pen are counted, and few are forgiven', () => {
  for (const [a, b, slips] of [
    ['beach', 'beach', 0],
    ['baech', 'beach', 1],
    ['beech', 'beach', 1],
    ['bech', 'beach', 1],
    ['beachh', 'beach', 1],
    ['', 'abc', 3],
    ['kitten', 'sitting', 3],
  ] as const) {
    expect([a, b, slipsBetween(a, b)]).toEqual([a, b, slips]);
  }
  expect(meantWords('beech', ['beach', 'speech', 'bench', 'beech'])).toEqual(['beach', 'bench']);
  expect(meantWords('xylofons', ['xylophones'])).toEqual([]);
  expect(meantWords('zepellin', ['zeppelin'])).toEqual(['zeppelin']);
});
