import { describe, expect, test } from 'bun:test';
import { isColour, readTerms } from './query-terms.ts';

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
  ])('%p in %p has the terms %p', async (query, language, terms) => {
    expect((await read(query, language)).terms).toEqual(terms);
  });

  test('is translated as far as its words are known', async () => {
    expect((await read('Hund am Strand', 'de')).english).toBe('dog beach');
    expect((await read('dog at the beach')).english).toBe('dog at the beach');
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
