import { LRUCache } from 'lru-cache';
import { loadVocabulary } from '../labels/vocabulary.ts';
import { type Country, findCountry, listCountriesByTerm } from './country-names.ts';
import type { Entry } from './lexicon.ts';
import placeNamesFile from './place-names.bin' with { type: 'file' };
import { isUnspaced, toPlaceTerm } from './place-terms.ts';
import { listContinents, listStateNames } from './regions.ts';

// What towns and countries are called in other languages. Of the towns native/place-names.ts writes the data: GeoNames,
// CC BY 4.0. It is read for the places of a library only, and what was found is remembered.

/** Entries by their term. */
type OtherNames = readonly (readonly [term: string, entry: Entry])[];

/** A library has some hundred places. */
const MAX_PLACES = 4000;
const known = new LRUCache<string, OtherNames>({ max: MAX_PLACES });

type Place = readonly [country: string | null, state: string | null, city: string | null];

/** Of the libraries that were searched last, by their places. */
const libraries = new LRUCache<string, ReadonlyMap<string, Entry>>({ max: 16 });

/** Returns the other names of the cities, states and countries of a library, and the continents of these, by their terms. */
export async function listOtherNames(
  places: readonly Place[],
): Promise<ReadonlyMap<string, Entry>> {
  const key = places
    .map((parts) => parts.join('\t'))
    .toSorted()
    .join('\n');
  const names = libraries.get(key) ?? (await readOtherNames(places));
  libraries.set(key, names);
  return names;
}

async function readOtherNames(places: readonly Place[]): Promise<ReadonlyMap<string, Entry>> {
  const cities = new Map<string, Set<string>>();
  for (const [country, , city] of places) {
    if (country === null) continue;
    const some = cities.get(country) ?? new Set<string>();
    cities.set(country, city === null ? some : some.add(city));
  }
  const all = new Map<string, Entry>();
  const codes = new Map<string, string>();
  for (const [country, some] of cities) {
    const missing = [...some].filter((city) => !known.has(toKey(country, city)));
    const found = await findCountry(country);
    if (found) codes.set(country, found.code);
    const lines = found && missing.length > 0 ? await readLines(found.code) : undefined;
    for (const city of missing)
      known.set(toKey(country, city), lines ? listOfCity(lines, city) : []);
    const ofCountry = toKey(country, '');
    if (!known.has(ofCountry)) known.set(ofCountry, found ? listOfCountry(country, found) : []);
    for (const city of ['', ...some])
      for (const [term, entry] of known.get(toKey(country, city)) ?? [])
        if (!all.has(term)) all.set(term, entry);
  }
  for (const [term, entry] of [...listStates(places, codes), ...listParts(codes)])
    if (!all.has(term)) all.set(term, entry);
  return all;
}

const listStates = (places: readonly Place[], codes: ReadonlyMap<string, string>): OtherNames =>
  places.flatMap(([country, state]) => {
    if (country === null || state === null) return [];
    const entry: Entry = { field: 'state', label: state, value: state, needs: 'letters' };
    const names = listStateNames(codes.get(country) ?? '', state);
    return names.map((name) => [toPlaceTerm(name), entry] as const);
  });

/** Continents are all of their countries that the library has; of one without any, nothing is found. */
const listParts = (codes: ReadonlyMap<string, string>): OtherNames =>
  listContinents().flatMap(({ name, names, countries }) => {
    const own = [...codes].flatMap(([country, code]) => (countries.has(code) ? [country] : []));
    const value = own.length > 0 ? own : name;
    const entry: Entry = { field: 'country', label: name, value, needs: 'letters' };
    return names.map((one) => [toPlaceTerm(one), entry] as const);
  });

/**
 * Returns the countries by their terms, for what a library does not have: a question about another country finds
 * nothing. What is a word, too, needs a preposition.
 */
export async function findElsewhere(): Promise<(term: string) => Entry | undefined> {
  const [countries, { isWord }] = await Promise.all([listCountriesByTerm(), loadVocabulary()]);
  return (term) => {
    const country = countries.get(term)?.name;
    if (country === undefined) return undefined;
    const isShort = term.length < MIN_LETTERS && !isUnspaced(term);
    const needs = isWord(term) || isShort ? 'preposition' : 'letters';
    return { field: 'country', label: country, value: country, needs };
  };
}
const MIN_LETTERS = 4;

const toKey = (country: string, city: string) => `${country}\t${city}`;

const listOfCountry = (country: string, { names }: Country): OtherNames =>
  names.map((name) => [
    toPlaceTerm(name),
    {
      field: 'country',
      label: country,
      value: country,
      ...(IS_ABBREVIATION.test(name) && { needs: 'capital' }),
    },
  ]);
/** UK; of the Dutch it is VS. */
const IS_ABBREVIATION = /^\p{sc=Latin}{1,2}$/u;

/** Names that are words of a language, too: with a capital or a preposition, and with a preposition. */
const MARKS: Readonly<Record<string, NonNullable<Entry['needs']>>> = {
  '^': 'capital',
  '~': 'preposition',
};

/** The city may be called by any of its names. */
function listOfCity(lines: Buffer, city: string): OtherNames {
  const term = toPlaceTerm(city);
  const line = term === '' ? undefined : findLine(lines, term);
  if (line === undefined) return [];
  const [main = '', others = ''] = line.split('\t');
  return [main, ...others.split(',')].flatMap((name) => {
    const needs = MARKS[name[0] ?? ''];
    const bare = needs ? name.slice(1) : name;
    if (bare === '' || bare === term) return [];
    const entry: Entry = { field: 'city', label: city, value: city, needs: needs ?? 'letters' };
    return [[bare, entry] as const];
  });
}

/** Returns a text of its own, which does not keep the others of the country. */
function findLine(lines: Buffer, term: string): string | undefined {
  let at = lines.indexOf(`\n${term}\t`);
  for (const before of ['\t', ',', ',^', '\t^', ',~', '\t~']) {
    if (at < 0) at = lines.indexOf(`${before}${term},`);
  }
  if (at < 0) return undefined;
  const start = lines[at] === NEWLINE ? at + 1 : lines.lastIndexOf('\n', at) + 1;
  return lines.toString('utf8', start, lines.indexOf('\n', start));
}
const NEWLINE = 10;

let index: Promise<ReadonlyMap<string, readonly [from: number, to: number]>> | undefined;

/** Reads lines of one country: the main name of a town, a tab, and the others with a comma behind each. */
async function readLines(code: string): Promise<Buffer | undefined> {
  const range = (await (index ??= readIndex())).get(code);
  if (!range) return undefined;
  return Bun.zstdDecompressSync(
    await Bun.file(placeNamesFile)
      .slice(...range)
      .bytes(),
  );
}

/** Bytes of the length of the index. */
const HEAD = 4;

async function readIndex(): Promise<ReadonlyMap<string, readonly [from: number, to: number]>> {
  const file = Bun.file(placeNamesFile);
  const length = Buffer.from(await file.slice(0, HEAD).bytes()).readUInt32LE(0);
  const countries = (await file.slice(HEAD, HEAD + length).json()) as Record<
    string,
    [number, number]
  >;
  return new Map(
    Object.entries(countries).map(([code, [offset, size]]) => {
      const start = HEAD + length + offset;
      return [code, [start, start + size]];
    }),
  );
}
