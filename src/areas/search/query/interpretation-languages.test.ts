import { describe, expect, test } from 'bun:test';
import { DateTime } from 'luxon';
import translations from '../labels/translations.json' with { type: 'json' };
import { FUNCTION_WORDS, isStopWord } from '../labels/function-words.ts';
import { loadVocabulary } from '../labels/vocabulary.ts';
import { interpret } from './interpretation.ts';
import { createLexicon } from './lexicon.ts';
import { listOtherNames } from './place-names.ts';

const PLACES = [
  ['France', 'Île-de-France', 'Paris'],
  ['Germany', 'Bavaria', 'Munich'],
  ['Poland', 'Mazovia', 'Warsaw'],
  ['Italy', 'Lazio', 'Rome'],
  ['United Kingdom', 'England', 'London'],
  ['Japan', 'Tokyo', 'Tokyo'],
  // As a program wrote it into the file.
  ['Germany', 'Nordrhein-Westfalen', 'Köln'],
] as const;

const person = (name: string) => ({ id: name, name });
const lexicon = createLexicon({
  people: ['Rosa', 'Leon', 'Karl', 'Jonas', 'ロサ', 'レオン', 'ヨナス', '罗莎', 'Роза', 'Леон'].map(
    person,
  ),
  pets: [],
  places: PLACES,
  cameras: [],
  albums: [
    { id: 'a1', name: 'Sommer' },
    { id: 'a2', name: '夏休み' },
  ],
  tags: [{ id: 't1', name: 'garden', value: 'garden' }],
  otherNames: await listOtherNames(PLACES),
});
const now = DateTime.fromISO('2026-05-15T12:00:00', { zone: 'utc' });

function read(query: string, language?: string) {
  const { chips, text } = interpret(query, lexicon, { now, isSouthern: false, language });
  for (const { source, start, end } of chips) expect(query.slice(start, end)).toBe(source);
  return { chips: chips.map(({ label }) => label), text };
}

/** Queries by their chips: nothing is left. */
function testAll(chips: readonly string[], queries: readonly string[]): void {
  test.each([...queries])(`%p has the chips ${chips.join()}`, (query) => {
    const found = read(query);
    expect([found.chips.toSorted(), found.text]).toEqual([chips.toSorted(), null]);
  });
}

describe('words that mean nothing', () => {
  testAll(
    ['Rosa', 'Paris', '2025-04'],
    [
      'photos of Rosa in Paris in April 2025',
      'zeig mir Fotos von Rosa in Paris im April 2025',
      'Rosa à Paris en avril 2025',
      'montre-moi les photos de Rosa à Paris en avril 2025',
      'muéstrame las fotos de Rosa en París en abril de 2025',
      'mostrami le foto di Rosa a Parigi in aprile 2025',
      "laat me foto's zien van Rosa in Parijs in april 2025",
      'pokaż zdjęcia Rosy w Paryżu w kwietniu 2025',
      'mostre as fotos da Rosa em Paris em abril de 2025',
      '2025年4月にパリで撮ったRosaの写真を見せて',
      '2025年4月Rosa在巴黎的照片',
      'покажи фото Rosa в Париже в апреле 2025',
    ],
  );
  testAll(
    ['Leon', 'Karl'],
    [
      'Leon and Karl together',
      'Leon und Karl zusammen',
      'Leon et Karl ensemble',
      'les deux, Leon et Karl',
      'Leon y Karl juntos',
      'Leon e Karl insieme',
      'Leon en Karl samen',
      'Leon i Karl razem',
      'zdjęcia Leona i Karla',
      'Leona i Karla',
      'Leon e Karl juntos',
      'LeonとKarlが一緒の写真',
      'Leon和Karl一起',
      'Leon и Karl вместе',
    ],
  );

  test.each([
    ['Rosa with a van', 'van'],
    ['pôr do sol com o Leon', 'pôr do sol'],
    ['la montre de Rosa', 'montre'],
    ['vin à Paris', 'vin'],
    ['Rosa mit einem Hut', 'Hut'],
    ['Rosa z lasem', 'lasem'],
  ])('are not those of a thing: %p', (query, text) => {
    expect(read(query).text).toBe(text);
  });

  test('may be a thing, which the language of the page decides', () => {
    expect(read('Rosa van', 'nl').text).toBeNull();
    expect(read('Rosa van', 'en').text).toBe('van');
    expect(read('foto van Rosa', 'en').text).toBeNull();
    expect(read('mes').text).toBe('mes');
  });

  test('are, in their list, none that names something in another language', async () => {
    const { findLabels } = await loadVocabulary();
    const known = 'das la mis our see show the 写真'.split(' ');
    for (const [language, words] of Object.entries(FUNCTION_WORDS))
      for (const word of words) {
        const others = Object.entries(translations).filter(([one]) => one !== language);
        const english = others.map(([, terms]) => (terms as Record<string, string>)[word]);
        const isThing = english.some(
          (term) => term !== undefined && findLabels(term) !== undefined,
        );
        if (isThing && !known.includes(word))
          expect([language, word, isStopWord(word)]).toEqual([language, word, false]);
      }
  });
});

describe('what a sentence excludes', () => {
  testAll(['Rosa', 'not Karl', 'Paris'], ['Rosa sans Karl en Paris', 'Rosa sin Karl en París']);
  testAll(['Karl', 'London'], ['Karl no London', 'karl em Londres']);
  testAll(
    ['Jonas', 'not Rosa'],
    [
      'Jonas without Rosa',
      "Jonas, but Rosa isn't there",
      'Jonas ohne Rosa',
      'Jonas, wo Rosa nicht dabei ist',
      'Fotos von Jonas, auf denen Rosa nicht zu sehen ist',
      'Jonas sans Rosa',
      "Jonas où Rosa n'est pas là",
      'Jonas sin Rosa',
      'Jonas donde no está Rosa',
      'Jonas senza Rosa',
      "Jonas dove non c'è Rosa",
      'Jonas zonder Rosa',
      'Jonas waar Rosa niet op staat',
      'Jonas bez Rosy',
      'Jonas, na których nie ma Rosy',
      'Jonas sem Rosa',
      'Jonas em que Rosa não aparece',
      'Jonas没有Rosa',
      '除了Rosa以外的Jonas',
      'Jonas Rosaなし',
      'Rosaのいない Jonas',
      'Jonas без Rosa',
    ],
  );
  testAll(['not ロサ'], ['ロサなし', 'ロサのいない写真', 'ロサ以外', 'ロサが写っていない']);
  testAll(['not 罗莎'], ['没有罗莎', '没有罗莎的照片', '除了罗莎', '罗莎不在']);
  testAll(['not Роза'], ['без Розы', 'фото, где нет Розы', 'кроме Розы']);
  testAll(['not Leon', 'not Karl'], ['sans Leon et Karl', 'sin Leon y Karl', 'bez Leona i Karla']);
  testAll(['not レオン', 'not ロサ'], ['レオンとロサのいない写真']);
  testAll(
    ['not Paris'],
    ['pas à Paris', 'no en París', 'nie w Paryżu', 'パリ以外', '不在巴黎', 'не в Париже'],
  );
  testAll(['not favorites'], ['sans favoris', 'sin favoritas', 'お気に入り以外', 'bez ulubionych']);
  testAll(
    ['not Sommer'],
    ['ohne Album Sommer', "sans l'album Sommer", 'sin el álbum Sommer', 'bez albumu Sommer'],
  );
  testAll(['Rosa'], ['nicht nur Rosa', 'pas seulement Rosa', 'not only Rosa', 'nie tylko Rosa']);

  test('is a tag, too, and no word that nobody excludes', () => {
    expect(read('Rosa sin garden')).toEqual({ chips: ['Rosa', 'not garden'], text: null });
    expect(read('Rosa not smiling').chips).toEqual(['Rosa']);
    expect(read('a fish in Rome without a hat')).toEqual({
      chips: ['Rome'],
      text: 'fish without a hat',
    });
  });
});

describe('a name in another case', () => {
  testAll(['not Leon'], ['bez leona', 'nie ma Leona']);
  testAll(
    ['Leon', 'Warsaw'],
    ['z Leonem w Warszawie', 'Leona w Warszawie', 'с Леоном в Варшаве'.replace('Леоном', 'Leon')],
  );
  testAll(['Леон', 'London'], ['с Леоном в Лондоне', 'Леона в Лондоне']);
  testAll(['Germany'], ['w Niemczech', 'в Германии', 'z Niemiec']);

  test.each([
    'eine Rose im Garten',
    'rosy w ogrodzie',
    'a rosy apple',
    'la rosée',
    'kwiaty bez rosy',
    'леоны',
  ])('is no ordinary word: %p', (query) => {
    expect(read(query).chips).toEqual([]);
  });
});

describe('a place', () => {
  test('is none in a term that names a thing', async () => {
    const { findLabels, isWord } = await loadVocabulary();
    const isTerm = (term: string) => isWord(term) || findLabels(term) !== undefined;
    const names = createLexicon({
      people: [],
      pets: [],
      places: [
        ['United States of America', 'Massachusetts', 'Boston'],
        ['Germany', 'Hamburg', 'Hamburg'],
      ],
      cameras: [],
      tags: [],
      otherNames: await listOtherNames([['Germany', 'Hamburg', 'Hamburg']]),
    });
    const find = (query: string) =>
      interpret(query, names, { now, isSouthern: false, isTerm }).chips.map(({ label }) => label);
    expect(find('Boston terrier')).toEqual([]);
    expect(find('terrier in Boston')).toEqual(['Boston']);
    expect(find('德国牧羊犬')).toEqual([]);
    expect(find('德国的牧羊犬')).toEqual(['Germany']);
    expect(find('汉堡')).toEqual([]);
    expect(find('在汉堡')).toEqual(['Hamburg']);
  });

  testAll(['Germany'], ["foto dell'Germania", "photos d'Allemagne", "l'Allemagne"]);
  testAll(
    ['Munich'],
    'München,munchen,Monaco di Baviera,Monachium,Мюнхен,ミュンヘン,慕尼黑,Múnich,Munique'.split(
      ',',
    ),
  );
  testAll(['Rome'], 'Rom,à Rome,en Roma,w Rzymie,в Риме,ローマ,罗马市'.split(','));
  testAll(['Köln'], 'Cologne,Colonia,Keulen,Kolonia,Кёльн,ケルン,科隆'.split(','));
  testAll(
    ['Germany'],
    'Germany,Deutschland,Allemagne,Alemania,Germania,Duitsland,Niemcy,Alemanha,ドイツ,德国,Германия'.split(
      ',',
    ),
  );
  testAll(
    ['United Kingdom'],
    ['Royaume-Uni', 'Wielka Brytania', 'w Wielkiej Brytanii', 'イギリス', '英国', 'UK'],
  );

  test.each(['Lyon', 'Mailand', 'Norwegen', 'ミラノ', 'Leon vs', 'lion', 'Wein'])(
    'is known only where the library has it: %p',
    (query) => {
      expect(read(query).chips.filter((label) => label !== 'Leon')).toEqual([]);
    },
  );
});

describe('a keyword', () => {
  testAll(
    ['garden'],
    ['tag garden', 'photos avec le tag garden', 'fotos con la etiqueta garden', '#garden'],
  );
  testAll(
    ['IMAGE'],
    [
      'solo fotos',
      'seulement photos',
      'solo foto',
      "alleen foto's",
      'tylko zdjęcia',
      'só fotos',
      '写真だけ',
      '只看照片',
      'только фото',
      'sin vídeos',
      'sans vidéos',
    ],
  );
  testAll(['VIDEO'], ['vidéos', 'filmy', 'filmpjes', 'filmati', '動画', '视频', 'видео']);
  testAll(
    ['favorites'],
    [
      'favoris',
      'mes photos préférées',
      'preferiti',
      'favorieten',
      'ulubione',
      'お気に入り',
      '收藏',
      'избранное',
    ],
  );
  testAll(
    ['not in an album'],
    [
      'sin álbum',
      'dans aucun album',
      'senza album',
      'niet in een album',
      'w żadnym albumie',
      'sem álbum',
      'アルバムに入っていない写真',
      '不在相册中的照片',
      'без альбома',
    ],
  );
  testAll(
    ['edited'],
    [
      'editadas',
      'modifiées',
      'modificate',
      "bewerkte foto's",
      'edytowane',
      '編集した写真',
      '已编辑',
      'отредактированные',
    ],
  );
  testAll(
    ['unedited'],
    ['sin editar', 'non modifiées', 'onbewerkt', 'nieedytowane', '未編集', '未编辑'],
  );
  testAll(
    ['Sommer'],
    [
      "dans l'album Sommer",
      'en el álbum Sommer',
      "nell'album Sommer",
      'in het album Sommer',
      'w albumie Sommer',
      'no álbum Sommer',
      'в альбоме Sommer',
    ],
  );
  testAll(['夏休み'], ['アルバム「夏休み」', '夏休みのアルバム', '相册“夏休み”']);
  testAll(['panorama'], ['パノラマ', '全景', 'panoramiques']);
  testAll(['★ 5'], ['5 étoiles', '5 estrellas', '5 gwiazdek', '星5', '5颗星']);
});
