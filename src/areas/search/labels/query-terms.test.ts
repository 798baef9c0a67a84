import { describe, expect, test } from 'bun:test';
import names from './names.json' with { type: 'json' };
import translations from './translations.json' with { type: 'json' };
import { isColour, readTerms } from './query-terms.ts';
import { loadVocabulary, toLabelName } from './vocabulary.ts';
import { labels } from './words.json' with { type: 'json' };

const read = async (text: string, language?: string) => {
  const { terms, excluded, ...rest } = await readTerms(text, language);
  return { ...rest, terms: terms.map(({ term }) => term), excludes: excluded.length > 0 };
};
const labelsOfTerm = async (text: string) => (await readTerms(text)).terms[0]?.labels ?? [];

describe('labels', () => {
  test('are found by their kinds, synonyms and plurals', async () => {
    expect(await labelsOfTerm('fruit')).toEqual(
      expect.arrayContaining(['tags:banana', 'tags:Granny Smith', 'objects:apple']),
    );
    expect(await labelsOfTerm('vehicles')).toEqual(
      expect.arrayContaining(['tags:fire engine', 'objects:bicycle']),
    );
    expect(await labelsOfTerm('hippo')).toEqual(['tags:hippopotamus']);
    expect(await labelsOfTerm('wolves')).toContain('tags:timber wolf');
    expect(await labelsOfTerm('dogs')).not.toContain('tags:tabby');
    expect(await labelsOfTerm('fruit')).not.toContain('tags:broccoli');
  });

  test('have a name in each language, which finds the more general where it is known for that', async () => {
    const { toLanguage } = await loadVocabulary();
    for (const language of Object.keys(names)) {
      const nameless = labels.filter((label) => !toLanguage(toLabelName(label), language));
      expect([language, nameless]).toEqual([language, []]);
    }
    expect(toLanguage('washbasin', 'de')).toBe('Waschbecken');
    expect(await read('Waschbecken', 'de')).toMatchObject({ terms: ['sink'] });
    expect(await read('Sportwagen', 'de')).toMatchObject({ terms: ['sports car'] });
    expect(await read('czarno-białe', 'pl')).toMatchObject({ english: 'black and white' });
  });

  test('are found by what is a kind of them and has no other meaning', async () => {
    expect(await labelsOfTerm('honeybee')).toContain('tags:bee');
    expect(await labelsOfTerm('bull')).toContain('objects:cow');
    expect(await labelsOfTerm('lioness')).toEqual(['tags:lion']);
    // The model knows other kinds of buildings, which are no skyscrapers.
    expect(await labelsOfTerm('skyscraper')).toEqual([]);
  });

  test('have the meaning of their subject', async () => {
    expect(await labelsOfTerm('pig')).toEqual(['tags:hog']);
    expect(await labelsOfTerm('bird')).not.toContain('objects:kite');
    expect(await labelsOfTerm('toy')).toContain('objects:kite');
  });

  test('are not found by words that name half of all things, nor by nonsense', async () => {
    for (const query of [
      'thing',
      'artifact',
      'entity',
      'xqzzt',
      'quantum physics',
      // Swimming is seen by its things, and boats are seen, but neither is a pool or a train.
      'swimming pool',
      'tax return form',
    ])
      expect([query, (await read(query)).terms]).toEqual([query, []]);
  });
});

describe('a query', () => {
  test.each([
    ['a dog on a sofa', undefined, ['dog', 'sofa']],
    ['polar bears', undefined, ['polar bears']],
    ['Hunde', undefined, ['dog']],
    ['ein Bär', undefined, ['bear']],
    ['éléphant', undefined, ['elephant']],
    ['perros', 'es', ['dog']],
    ['犬', undefined, ['dog']],
    ['auto en hond', 'nl', ['car', 'dog']],
    // An English word stays one: it is an oven in French.
    ['four dogs', undefined, ['dogs']],
    ['chat', 'fr', ['cat']],
    ['osos polares', 'es', ['polar bear']],
    ['dos conejitos', 'es', ['rabbit']],
    ['chevaux blancs', 'fr', ['horse', 'white']],
    ['mele rosse', 'it', ['apple', 'red']],
    ['un’anatra', 'it', ['duck']],
    // Two words of English letters, but nobody elides in English.
    ['un’ape', undefined, ['bee']],
    ["rode auto's", 'nl', ['red', 'car']],
    ['katten', 'nl', ['cat']],
    // Articles tell the language: without them it is a beer.
    ['een beer in het bos', undefined, ['bear', 'forest']],
    ['langoest van de eilanden', undefined, ['lobster', 'island']],
    ['beer', undefined, ['beer']],
    // Without its diacritics it is a bear in German, but who asks in English asks for no bear.
    ['bar', 'en', ['bar']],
    ['Bär', 'de', ['bear']],
    ['chat', 'en', []],
    ['chat', 'EN', []],
    ['Straße bei Nacht', 'de', ['street', 'night']],
    ['muizen', 'nl', ['mouse']],
    ['białe konie', 'pl', ['white', 'horse']],
    ['kobieta z parasolem', 'pl', ['woman', 'umbrella']],
    ['psy na plaży', 'pl', ['dog', 'beach']],
    ['balões', 'pt-BR', ['balloon']],
    ['coelhinho', 'pt-BR', ['rabbit']],
    ['три зебры', undefined, ['zebra']],
    ['собака на диване', undefined, ['dog', 'sofa']],
    ['хочу найти фото с котятами у моря', undefined, ['kitten', 'sea']],
    ['девушка в красном платье', 'ru', ['girl', 'red', 'dress']],
    ['щенок Рыжик', undefined, ['puppy']],
    // Katakana and Hiragana are one word.
    ['らいおん', 'ja', ['lion']],
    ['ライオン', 'ja', ['lion']],
    // The last part of a compound says what it is.
    ['Zwergkaninchen', 'de', ['rabbit']],
    ['Kätzchen', 'de', ['kitten']],
    ['Loewen', 'de', ['lion']],
    // A stop word alone is a word of another language.
    ['mes', 'nl', ['knife']],
    ['bij', 'nl', ['bee']],
    // French, of which no label shows it, and no German compound.
    ['hippocampe', undefined, []],
    ['See', 'de', ['lake']],
    ['photos', undefined, []],
  ])('%p in %p has the terms %p', async (query, language, terms) => {
    expect((await read(query, language)).terms).toEqual(terms);
  });

  test('is translated as far as its words are known', async () => {
    expect((await read('Hund am Strand', 'de')).english).toBe('dog beach');
    expect((await read('dog at the beach')).english).toBe('dog at the beach');
    expect((await read('photos of a dog at the beach')).english).toBe('dog at the beach');
    expect((await read('fur coat')).english).toBe('fur coat');
  });

  test('excludes terms behind a negation, and those that are listed with them', async () => {
    expect(await read('birds without the penguins')).toMatchObject({
      terms: ['birds'],
      text: 'birds',
      excludes: true,
    });
    const several = await readTerms('animals but no cats and dogs');
    expect(several.excluded).toContain('tags:tabby');
    expect(several.excluded).toContain('objects:dog');
    expect((await readTerms('Obst ohne Bananen', 'de')).excluded).toContain('tags:banana');
    const cats = await readTerms('кошки без собак');
    expect(cats.terms.map(({ term }) => term)).toEqual(['cat']);
    expect(cats.excluded).toContain('objects:dog');
    expect(cats.excluded).not.toContain('objects:cat');
    // No label shows it, so none can exclude it.
    expect(await read('dogs without xqzzt')).toMatchObject({ terms: ['dogs'], excludes: false });
    expect((await read('no cats')).excludes).toBe(false);
  });

  test('is not answered by its colour alone when it asks for something that no label shows', async () => {
    expect((await readTerms('red apple')).terms.map(isColour)).toEqual([true, false]);
    expect((await read('red')).terms).toEqual(['red']);
    expect((await read('yellow xylophonist')).terms).toEqual([]);
    expect((await read('rote Autos', 'de')).terms).toEqual(['red', 'car']);
  });
});

test('nobody, and what stands before a Japanese negation, is excluded', async () => {
  expect((await readTerms('the beach with nobody', 'en')).excluded).toContain('objects:person');
  expect((await readTerms('ライオン以外の動物', 'ja')).excluded).toContain('tags:lion');
  expect((await readTerms('elefante no jardim', 'pt')).excluded).toEqual([]);
  // Somebody, without a negation.
  expect((await readTerms('une personne sur la plage', 'fr')).excluded).toEqual([]);
  expect((await read('五个人以上', 'zh')).terms).toEqual(['people']);
});

test('the end of a word is no term of another language beside words that nobody knows', async () => {
  // Dutch 'olifant' behind letters that are no word, and German 'Ente'.
  expect((await read('zbrolifant groumiche', 'fr')).terms).toEqual([]);
  expect((await read('xofradelo brimuca tolvente', 'pt')).terms).toEqual([]);
  expect((await read('Zwergelefant', 'en')).terms).toEqual(['elephant']);
});

test('words of ten languages are translated however they end, and not by similar words', async () => {
  const { translate } = await loadVocabulary();
  for (const [language, word, english] of [
    ['de', 'hunde', 'dog'],
    ['es', 'tijera', 'scissors'],
    ['fr', 'oiseaux', 'bird'],
    ['it', 'funghi', 'mushroom'],
    ['nl', 'vogeltje', 'bird'],
    ['pl', 'krowy', 'cow'],
    ['pt', 'limoes', 'lemon'],
    ['ru', 'лошадьми', 'horse'],
    ['ru', 'птиц', 'bird'],
    ['ru', 'львы', 'lion'],
    ['ru', 'красную', 'red'],
    ['ru', 'деревья', 'tree'],
    ['ru', 'чаек', 'seagull'],
  ] as const)
    expect([word, translate(word, language)?.english]).toEqual([word, english]);
  // 'esqui' are skis, and 'coche' is a car.
  expect(translate('esquilo', 'pt')?.english).toBe('squirrel');
  expect(translate('cochon', 'es')).toBeUndefined();
  // A cat and a whale are three letters of one stem, and a mole is neither.
  expect(['коты', 'киты', 'кроты'].map((word) => translate(word, 'ru')?.english)).toEqual([
    'cat',
    'whale',
    undefined,
  ]);
  for (const language of Object.keys(translations))
    expect([language, translate('xqzzt', language)]).toEqual([language, undefined]);
});
