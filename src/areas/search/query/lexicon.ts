import { getFirst } from '../../../core/required.ts';
import { FORMS_OF_ADDRESS, RELATION_WORDS, type Relation } from '../../people/index.ts';
import { fold } from '../../../core/fold-text.ts';
import { foldInPlace, tokenize, toTerm } from '../match/words.ts';

export type Entry = {
  readonly field:
    'personIds' | 'petIds' | 'city' | 'state' | 'country' | 'make' | 'model' | 'tagIds';
  readonly label: string;
  /** An id, a name, or the ids of everybody a first name may mean. */
  readonly value: string | readonly string[];
  /** A last name, which may be an ordinary word: 'Lake', 'Fuchs'. */
  readonly isLast?: boolean;
  /** Words that must stand before it, because it is an ordinary word without: 'my daughter'. */
  readonly hint?: RegExp;
};

export type Lexicon = {
  /** By folded words, joined by a space. */
  readonly names: ReadonlyMap<string, Entry>;
  /** Ids of albums by name, in the same form. */
  readonly albums: ReadonlyMap<string, { readonly label: string; readonly ids: readonly string[] }>;
  /** ISO days by person. */
  readonly birthDates: ReadonlyMap<string, string>;
};

type Named = { readonly id: string; readonly name: string };

export type Names = {
  readonly people: readonly (Named & {
    readonly birthDate?: string | null;
    readonly relation?: Relation | undefined;
  })[];
  readonly albums?: readonly Named[];
  readonly pets: readonly Named[];
  /** Country, state, city. */
  readonly places: readonly (readonly [string | null, string | null, string | null])[];
  /** Make, model. */
  readonly cameras: readonly (readonly [string | null, string | null])[];
  readonly tags: readonly { readonly id: string; readonly name: string; readonly value: string }[];
  /** Alternative country names, folded. */
  readonly countries: ReadonlyMap<string, string>;
};

/** Builds the lexicon. Earlier entries win: a name that is also a place means the person. */
export function createLexicon({
  people,
  albums = [],
  pets,
  places,
  cameras,
  tags,
  countries,
}: Names): Lexicon {
  const lexicon = new Map<string, Entry>();
  const add = (name: string | null | undefined, entry: Entry) => {
    const key = toTerm(name ?? '');
    if (key !== '' && !lexicon.has(key)) lexicon.set(key, entry);
  };
  for (const { id, name } of people) add(name, { field: 'personIds', label: name, value: id });
  const addAll = (
    key: string,
    list: readonly Named[],
    entry: Pick<Entry, 'field' | 'isLast' | 'hint'>,
  ) => {
    const label = list.map(({ name }) => name).join(', ');
    const [id, ...others] = list.map((one) => one.id);
    if (id) add(key, { ...entry, label, value: others.length === 0 ? id : [id, ...others] });
  };
  for (const [name, list] of Map.groupBy(pets, ({ name }) => toTerm(name))) {
    addAll(name, list, { field: 'petIds' });
  }
  for (const [first, list] of Map.groupBy(people, ({ name }) => tokenize(name)[0] ?? '')) {
    addAll(first, list, { field: 'personIds' });
  }
  for (const [last, list] of Map.groupBy(people, ({ name }) => tokenize(name).at(-1) ?? '')) {
    addAll(last, list, { field: 'personIds', isLast: true });
  }
  const relatives = people.flatMap(({ relation, ...person }) =>
    relation ? [{ ...person, relation }] : [],
  );
  for (const [word, relations] of RELATION_WORDS) {
    const related = relatives.filter(({ relation }) => relations.includes(relation));
    const hint = relations.includes('self') ? SELF_HINT : POSSESSIVE;
    const isAddress = FORMS_OF_ADDRESS.has(word);
    if (related.length > 0)
      addAll(word, related, { field: 'personIds', ...(!isAddress && { hint }) });
  }
  const levels = ['country', 'state', 'city'] as const;
  for (const level of [2, 0, 1] as const) {
    const field = levels[level];
    for (const place of places) {
      const value = place[level];
      if (value !== null) add(value, { field, label: value, value });
    }
  }
  const present = new Set(places.map(([country]) => country));
  for (const [name, country] of countries) {
    if (present.has(country)) add(name, { field: 'country', label: country, value: country });
  }
  for (const [make, model] of cameras) {
    if (model !== null) {
      add(`${make ?? ''} ${model}`, { field: 'model', label: model, value: model });
      // A number alone is no camera name.
      if (/\p{L}/u.test(model)) add(model, { field: 'model', label: model, value: model });
    }
    if (make !== null) add(make, { field: 'make', label: make, value: make });
  }
  for (const { id, name, value } of tags) {
    const entry: Entry = { field: 'tagIds', label: value, value: id };
    add(value, entry);
    add(name, entry);
  }
  const known = people.flatMap(({ id, birthDate }) =>
    birthDate ? [[id, birthDate] as const] : [],
  );
  return { names: lexicon, albums: groupAlbums(albums), birthDates: new Map(known) };
}

const groupAlbums = (albums: readonly Named[]): Lexicon['albums'] =>
  new Map(
    [...Map.groupBy(albums, ({ name }) => toTerm(name))].map(([key, list]) => [
      key,
      { label: getFirst(list).name, ids: list.map(({ id }) => id) },
    ]),
  );

/** 'me' is a person only behind these words: 'photos of me', but 'show me'. */
const SELF_HINT = /\b(?:of|with|and|von|mit|und|de|avec|et|van|met|en|com|e)\s+$/;
const POSSESSIVE =
  /(?:\b(?:my|our|meine[mnrs]?|mein|unsere[mnrs]?|unser|mis?|nuestr[ao]s?|mon|ma|mes|notre|nos|mi[ao]|miei|mie|mijn|onze|moj|moja|moje|mojej|mojego|minhas?|meus?|noss[ao]s?)\s+|私の|我的)$/;

export type Word = {
  readonly folded: string;
  readonly start: number;
  readonly end: number;
  readonly isCapital: boolean;
};

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Returns the words of a text with their offsets. */
export function locateWords(text: string): Word[] {
  const words: Word[] = [];
  // Same separators as `tokenize`, but length-preserving.
  const cut = text.replaceAll(/[_.\-/]/g, ' ');
  for (const { segment, index, isWordLike } of segmenter.segment(cut)) {
    if (!isWordLike) continue;
    // Ann's
    const bare = segment.replace(/['’]s$/i, '');
    const isCapital = bare[0] !== bare[0]?.toLowerCase();
    words.push({ folded: fold(bare), start: index, end: index + bare.length, isCapital });
  }
  return words;
}

const MAX_NAME_WORDS = 6;
/** Place names that are ordinary words unless capitalized or after a preposition. */
const COMMON_PLACE_WORDS = new Set(
  `bath best bad born brand cork essen fort halle hell hof laden lille male man mobile moss must nice of
  of one orange reading regen see split stein strand tag tour von weg wald winter sand salt berg`.split(
    /\s+/,
  ),
);

/** Last names that are ordinary words unless capitalized. */
const COMMON_LAST_NAMES = new Set(
  `baker bach baum berg bird black blue bridge brook brown bush church cook day field fisher flower ford forest
  fox frost fuchs garden gold gray green grey grun hahn hall hase hill horn house jung katz king klein koch
  konig lake lang little long mann may moon north park pfau rain rice river rivers rose sand schwarz see snow
  sommer star stein stone storm street summer sun vogel wagner wald water weber weiss west white winter wolf
  wood woods young zimmermann`.split(/\s+/),
);

/** Returns the names in a list of words with their offsets, longest first; no word is used twice. */
export function findLongestNames(
  words: readonly Word[],
  { names }: Lexicon,
): { readonly start: number; readonly end: number; readonly entry: Entry }[] {
  const found: { start: number; end: number; entry: Entry }[] = [];
  const taken = new Set<Word>();
  for (let length = Math.min(MAX_NAME_WORDS, words.length); length >= 1; length--) {
    for (let at = 0; at + length <= words.length; at++) {
      const some = words.slice(at, at + length);
      if (some.some((word) => taken.has(word))) continue;
      const entry = names.get(some.map(({ folded }) => folded).join(' '));
      const [first, last] = [some.at(0), some.at(-1)];
      if (!entry || !first || !last) continue;
      if (length === 1 && isCommonWord(first, entry, words[at - 1])) continue;
      for (const word of some) taken.add(word);
      found.push({ start: first.start, end: last.end, entry });
    }
  }
  return found;
}

const ALBUM_BEFORE =
  /(?:\b(?:in|from|of|im|aus)\s+(?:(?:the|my|our|dem|meinem|unserem)\s+)?)?\balbum\s+["“„'‘»«]?$/;
const ALBUM_AFTER = /^["”“'’»«]?\s+album\b/;

/** Returns albums that the query names as one, with their words: 'in album Summer', 'the Summer album'. */
export function findAlbums(
  query: string,
  { albums }: Lexicon,
): {
  readonly start: number;
  readonly end: number;
  readonly label: string;
  readonly ids: readonly string[];
}[] {
  if (albums.size === 0) return [];
  const found: ReturnType<typeof findAlbums> = [];
  const words = locateWords(query);
  for (let at = 0; at < words.length; at++) {
    for (let length = Math.min(MAX_NAME_WORDS, words.length - at); length >= 1; length--) {
      const some = words.slice(at, at + length);
      const album = albums.get(some.map(({ folded }) => folded).join(' '));
      const [first, last] = [some.at(0), some.at(-1)];
      if (!album || !first || !last) continue;
      const span = findAlbumSpan(query, first.start, last.end);
      if (!span) continue;
      found.push({ ...span, ...album });
      at += length - 1;
      break;
    }
  }
  return found;
}

/** Returns the name together with the word that says it is an album. */
function findAlbumSpan(query: string, start: number, end: number) {
  const before = ALBUM_BEFORE.exec(foldInPlace(query.slice(0, start)));
  if (before)
    return { start: before.index, end: end + (/^["”“'’»«]/.test(query.slice(end)) ? 1 : 0) };
  const after = ALBUM_AFTER.exec(foldInPlace(query.slice(end)));
  return after ? { start, end: end + after[0].length } : undefined;
}

const PLACE_PREPOSITIONS = new Set([
  'in',
  'at',
  'from',
  'near',
  'aus',
  'bei',
  'nach',
  'von',
  'to',
  'around',
]);

const isCommonWord = (
  { folded, isCapital }: Word,
  { field, isLast }: Entry,
  before: Word | undefined,
): boolean => {
  if (isLast && COMMON_LAST_NAMES.has(folded)) return !isCapital;
  const isPlace = field === 'city' || field === 'state' || field === 'country';
  return isPlace && COMMON_PLACE_WORDS.has(folded) && !PLACE_PREPOSITIONS.has(before?.folded ?? '');
};
