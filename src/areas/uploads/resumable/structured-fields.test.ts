import { expect, test } from 'bun:test';
import { isItem, parseBoolean, parseByteDictionary, parseInteger } from './structured-fields.ts';

test('parses booleans and refuses other values', () => {
  const seen = ['?1', ' ?0 ', '?1;a', '?1; a=1;b="x, y"', '?1;a=:YQ==:'].map(parseBoolean);
  expect(seen).toEqual([true, false, true, true, true]);
  for (const wrong of [null, '', 'true', '1', '?2', '?1, ?1', '(?1)', '?1;', '?1;A=1', '?1 x']) {
    expect([wrong, parseBoolean(wrong)]).toEqual([wrong, undefined]);
  }
});

test('parses integers and refuses other values', () => {
  const seen = ['0', '42', ' -7', '999999999999999', '5;q=0.5', '007'].map(parseInteger);
  expect(seen).toEqual([0, 42, -7, 999_999_999_999_999, 5, 7]);
  for (const wrong of [null, '', 'abc', '1.5', '+1', '1e3', '0x1', '1, 2', '1234567890123456']) {
    expect([wrong, parseInteger(wrong)]).toEqual([wrong, undefined]);
  }
});

test('tells items of any type from malformed values', () => {
  const items = [
    '1',
    '-1.5',
    '"a b"',
    'abc',
    '?1',
    ':YQ==:',
    '@1659578233',
    '%"f%c3%bc"',
    '1;a=@5',
  ];
  for (const text of items) expect([text, isItem(text)]).toEqual([text, true]);
  for (const text of ['', '1 2', '1, 2', '1.', '1.2345', '--1', '"a', '(1)', '1;', 'é', '%"x"y']) {
    expect([text, isItem(text)]).toEqual([text, false]);
  }
});

test('parses dictionaries of byte sequences', () => {
  const read = (text: string) =>
    [...(parseByteDictionary(text) ?? [])].map(([k, v]) => [k, v?.toString()]);
  expect(read('a=:YQ==:')).toEqual([['a', 'a']]);
  expect(read(' a=:YQ==:;p=1 ,\tb-2=:YmI=: ')).toEqual([
    ['a', 'a'],
    ['b-2', 'bb'],
  ]);
  expect(read('a=:YQ==:, a=:Yg==:')).toEqual([['a', 'b']]);
  expect(read('a, b=1, c="x", d=?1')).toEqual([
    ['a', undefined],
    ['b', undefined],
    ['c', undefined],
    ['d', undefined],
  ]);
  for (const wrong of ['', '=', 'A=:YQ==:', 'a=:Y Q:', 'a=:YQ==:,', 'a=:YQ==: b=:YQ==:', 'a=(1)']) {
    expect([wrong, parseByteDictionary(wrong)]).toEqual([wrong, undefined]);
  }
});
