import { expect, test } from 'bun:test';
import { DateTime } from 'luxon';
import { interpret } from './interpretation.ts';
import { createLexicon } from './lexicon.ts';
import { findElsewhere, listOtherNames } from './place-names.ts';

// Ages and birthdays in sentences by birth dates, and countries of places that the library lacks.

const PLACES = [
  ['Italy', 'Lazio', 'Rome'],
  ['Czechia', 'Prague', 'Prague'],
  ['Germany', 'Berlin', 'Berlin'],
] as const;
const person = (name: string, birthDate: string | null = null) => ({ id: name, name, birthDate });
const lexicon = createLexicon({
  people: [person('Mia', '2019-05-14'), person('Oma Hilde'), person('Leon')],
  pets: [],
  places: PLACES,
  cameras: [],
  tags: [],
  otherNames: await listOtherNames(PLACES),
  findElsewhere: await findElsewhere(),
});
const now = DateTime.fromISO('2026-06-15T12:00:00', { zone: 'utc' });
function read(query: string, language = 'en') {
  const { chips, filter, text } = interpret(query, lexicon, { now, isSouthern: false, language });
  return { chips: chips.map(({ field, label }) => `${field}=${label}`).toSorted(), text, filter };
}

test.each([
  ["Mia's fourth birthday", 'en'],
  ['Mias vierter Geburtstag', 'de'],
  ['el cuarto cumpleaños de Mia', 'es'],
  ['le quatrième anniversaire de Mia', 'fr'],
  ['les quatre ans de Mia', 'fr'],
  ['il quarto compleanno di Mia', 'it'],
  ['Miaの4歳の誕生日', 'ja'],
  ['de vierde verjaardag van Mia', 'nl'],
  ['czwarte urodziny Mia', 'pl'],
  ['o quarto aniversário da Mia', 'pt'],
  ['mia四岁生日', 'zh'],
])('%p is one day', (query, language) => {
  const { chips, text, filter } = read(query, language);
  expect([chips, text]).toEqual([['birthday=Mia'], null]);
  expect(JSON.stringify(filter)).toContain('2023-05-14');
  expect(JSON.stringify(filter)).not.toContain('2022-05-14');
});

test.each([
  ["Mia's birthday", 'en'],
  ['Miaの誕生日', 'ja'],
  ['mia的生日', 'zh'],
  ['день рождения Mia', 'ru'],
])('%p is that of each year', (query, language) => {
  const { chips, text, filter } = read(query, language);
  expect([chips, text]).toEqual([['birthday=Mia'], null]);
  for (const year of [2019, 2022, 2026]) expect(JSON.stringify(filter)).toContain(`${year}-05-14`);
});

const FIRST = 'takenAt=2019-05-14 – 2020-05-13';
const FOURTH = 'takenAt=2022-05-14 – 2023-05-13';
const CHILDHOOD = 'takenAt=2020-05-14 – 2031-05-13';

test.each([
  ['baby Mia', 'en', FIRST],
  ['Mia as a newborn', 'en', FIRST],
  ['mia nouveau-née', 'fr', FIRST],
  ['mia appena nata', 'it', FIRST],
  ['mia recém-nascida', 'pt', FIRST],
  ['赤ちゃんの頃のMia', 'ja', FIRST],
  ['mia刚出生的时候', 'zh', FIRST],
  ['3歳のMia', 'ja', FOURTH],
  ['3岁的mia', 'zh', FOURTH],
  ['mia a tre anni', 'it', FOURTH],
  ['three-year-old mia', 'en', FOURTH],
  ['die dreijährige Mia', 'de', FOURTH],
  ['de driejarige mia', 'nl', FOURTH],
  ['trzyletnia mia', 'pl', FOURTH],
  ['when mia was three', 'en', FOURTH],
  ['als mia drei war', 'de', FOURTH],
  ['quand mia avait trois ans', 'fr', FOURTH],
  ['cuando mia tenía tres años', 'es', FOURTH],
  ['quando mia aveva tre anni', 'it', FOURTH],
  ['toen mia drie was', 'nl', FOURTH],
  ['gdy mia miała trzy lata', 'pl', FOURTH],
  ['quando a mia tinha três anos', 'pt', FOURTH],
  ['mia, 3 ans', 'fr', FOURTH],
  ['when mia was a baby', 'en', FIRST],
  ['quando a mia era bebé', 'pt', FIRST],
  ['als mia noch ein baby war', 'de', FIRST],
  ['quando mia era piccola', 'it', CHILDHOOD],
  ['Mia as a child', 'en', CHILDHOOD],
  ['Mia als Kind', 'de', CHILDHOOD],
  ['mia da piccola', 'it', CHILDHOOD],
  ['mia小时候', 'zh', CHILDHOOD],
])('%p is of those years of her life', (query, language, days) => {
  expect(read(query, language)).toMatchObject({ chips: ['personIds=Mia', days], text: null });
});

test('of somebody without a birth date the words are left', () => {
  expect(read('Leon as a baby')).toMatchObject({ chips: ['personIds=Leon'], text: 'baby' });
});

test.each([
  ['grandma with a dog', 'en'],
  ['oma mit dem hund', 'de'],
  ['mamie et le chien', 'fr'],
])('%p is the one who is called so', (query, language) => {
  const { chips, text } = read(query, language);
  expect(chips).toEqual(['personIds=Oma Hilde']);
  expect(text).not.toBeNull();
});

test.each([
  ['italienurlaub', 'de', 'country=Italy'],
  ['italiereis 2021', 'nl', 'country=Italy'],
  ['mias hund', 'de', 'personIds=Mia'],
  ["mia z'n verjaardag", 'nl', 'birthday=Mia'],
  ['anniversaire des 5 ans de mia', 'fr', 'birthday=Mia'],
  ['el cumple de mia', 'es', 'birthday=Mia'],
])('%p has a name in it', (query, language, chip) => {
  expect(read(query, language).chips).toContain(chip);
});

test.each([
  ['Leon bez dzieci', 'pl', 'bez dzieci'],
  ['leon sin gente', 'es', 'sin gente'],
  ['Leon no jardim', 'pt', 'jardim'],
  ['can you find the squirrel we saw in rome', 'en', 'squirrel'],
  ['weet je nog die foto van leon bij de gorilla', 'nl', 'gorilla'],
  ['vidéos tournées à rome', 'fr', null],
])('%p is left without words that mean nothing, but with negations', (query, language, rest) => {
  expect(read(query, language).text).toBe(rest);
});

test.each(['nonna hilde', 'mamie hilde', 'abuela Hilde', 'grandma Hilde'])(
  '%p is called by another word for her',
  (query) => {
    expect(read(query)).toMatchObject({ chips: ['personIds=Oma Hilde'], text: null });
  },
);

test.each([
  ['foto della norvegia', 'it', 'Norway'],
  ['挪威的照片', 'zh', 'Norway'],
  ['photos de Norvège', 'fr', 'Norway'],
  ['カナダのLeon', 'ja', 'Canada'],
  ['Leon w Kanadzie', 'pl', 'Canada'],
  ['Leon in Turkey', 'en', 'Türkiye'],
])('%p asks for a country that is not in the library', (query, language, country) => {
  const { chips, text } = read(query, language);
  expect([chips, text]).toEqual([expect.arrayContaining([`country=${country}`]), null]);
});

test.each([
  ['Italien und Tschechien ohne Berlin', 'de', 'city=not Berlin'],
  ['fotos aus lazio', 'de', 'state=Lazio'],
  ['leon en europe', 'fr', 'country=Europe'],
  ['ヨーロッパのLeon', 'ja', 'country=Europe'],
  ['leon in africa', 'it', 'country=Africa'],
])('%p names a part of the world', (query, language, chip) => {
  expect(read(query, language).chips).toContain(chip);
});

test('a continent means the countries that the library has, and without any finds nothing', () => {
  const { filter } = read('leon en europe', 'fr');
  expect(filter).toMatchObject({ filter: { country: { in: ['Italy', 'Czechia', 'Germany'] } } });
  expect(read('leon en afrique', 'fr').filter).toMatchObject({ country: 'Africa' });
  expect(read('leon, not in europe').filter).toMatchObject({
    filter: { country: { notIn: ['Italy', 'Czechia', 'Germany'] } },
  });
});

test.each([
  ['unser Urlaub in Schottland', 'de'],
  ['notre voyage en écosse', 'fr'],
  ['スコットランドの写真', 'ja'],
])('%p names a state in another language', async (query, language) => {
  const places = [['United Kingdom', 'Scotland', 'Portree']] as const;
  const otherNames = await listOtherNames(places);
  const scottish = createLexicon({
    people: [],
    pets: [],
    places,
    cameras: [],
    tags: [],
    otherNames,
  });
  const { chips, text } = interpret(query, scottish, { now, isSouthern: false, language });
  expect([chips.map(({ label }) => label), text]).toEqual([['Scotland'], null]);
});

test('a first name that is a colour is one beside a thing', () => {
  const rosa = createLexicon({
    people: [person('Rosa')],
    pets: [],
    places: [],
    cameras: [],
    tags: [],
  });
  const isTerm = (term: string) => ['dreirad', 'vestido'].includes(term);
  const count = (query: string, language: string) =>
    interpret(query, rosa, { now, isSouthern: false, language, isTerm }).chips.length;
  expect(count('das rosa dreirad', 'de')).toBe(0);
  expect(count('un vestido rosa', 'es')).toBe(0);
  expect(count('rosa mit dreirad', 'de')).toBe(1);
  expect(count('das Rosa dreirad', 'de')).toBe(1);
});

test('a country that is another word needs a preposition, and a lower-case town one of its language', () => {
  expect(read('turkey dinner')).toMatchObject({ chips: [], text: 'turkey dinner' });
  expect(read("l'estate scorsa a roma", 'it').chips).toContain('city=Rome');
  expect(read('a roma tomato').chips).toEqual([]);
});

test.each([
  ['柏林的冬天', 'zh', 'takenOn=12 – 02'],
  ['前年夏天', 'zh', 'takenAt=2024-06-01 – 2024-08-31'],
  ['一昨年の夏', 'ja', 'takenAt=2024-06-01 – 2024-08-31'],
  ['capodanno 2025 a praga', 'it', 'takenAt=2025-01-01'],
  ['passagem de ano em praga', 'pt', 'takenOn=12-31'],
])('%p says when', (query, language, chip) => {
  const { chips, text } = read(query, language);
  expect(chips.some((one) => one.startsWith(chip))).toBe(true);
  expect(text).toBeNull();
});

test.each([
  ['Mia or Leon', 'en'],
  ['Mia oder Leon', 'de'],
  ['mia ou leon', 'fr'],
  ['mia或leon的照片', 'zh'],
])('%p shows either', (query, language) => {
  const { text, filter } = read(query, language);
  expect([text, filter]).toEqual([null, { filter: { personIds: { any: ['Mia', 'Leon'] } } }]);
});
