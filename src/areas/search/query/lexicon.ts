import { getFirst } from '../../../core/required.ts';
import { FORMS_OF_ADDRESS, RELATION_WORDS, type Relation } from '../../people/index.ts';
import { fold } from '../../../core/fold-text.ts';
import { tokenize, toTerm } from '../match/words.ts';
import { isUnspaced, toPlaceTerm } from './place-terms.ts';

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
  /**
   * A name of a town in another language needs a place's preposition, a capital, or letters enough where it is written
   * without both.
   */
  readonly needs?: 'preposition' | 'capital' | 'letters';
};

export type Lexicon = {
  /** By folded words, joined by a space. */
  readonly names: Pick<ReadonlyMap<string, Entry>, 'get'>;
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
  /** What the places are called in other languages, by folded name. */
  readonly otherNames?: ReadonlyMap<string, Entry>;
  /** Returns a place that the library does not have. */
  readonly findElsewhere?: (term: string) => Entry | undefined;
};

/** Builds the lexicon. Earlier entries win: a name that is also a place means the person. */
export function createLexicon({
  people,
  albums = [],
  pets,
  places,
  cameras,
  tags,
  otherNames = new Map(),
  findElsewhere,
}: Names): Lexicon {
  const lexicon = new Map<string, Entry>();
  const add = (name: string | null | undefined, entry: Entry) => {
    const key = toPlaceTerm(name ?? '');
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
  for (const [first, list] of Map.groupBy(people, ({ name }) => listNames(name)[0] ?? '')) {
    addAll(first, list, { field: 'personIds' });
  }
  for (const [last, list] of Map.groupBy(people, ({ name }) => listNames(name).at(-1) ?? '')) {
    addAll(last, list, { field: 'personIds', isLast: true });
  }
  const relatives = people.map(({ relation, ...person }) => ({
    ...person,
    relations: relation ? [relation] : findNamedRelations(person.name),
  }));
  for (const [word, relations] of RELATION_WORDS) {
    const related = relatives.filter((one) => one.relations.some((is) => relations.includes(is)));
    const hint = relations.includes('self') ? SELF_HINT : POSSESSIVE;
    const isAddress = FORMS_OF_ADDRESS.has(word);
    if (related.length > 0)
      addAll(word, related, { field: 'personIds', ...(!isAddress && { hint }) });
  }
  const levels = ['country', 'state', 'city'] as const;
  for (const level of [2, 0, 1] as const) {
    const field = levels[level];
    for (const value of new Set(places.map((place) => place[level])))
      if (value !== null) add(value, { field, label: value, value });
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
  return {
    names: { get: (term) => lexicon.get(term) ?? otherNames.get(term) ?? findElsewhere?.(term) },
    albums: groupAlbums(albums),
    birthDates: new Map(known),
  };
}

/** A name may say what somebody is: 'Oma Hilde' is a grandmother. */
function findNamedRelations(name: string): readonly Relation[] {
  const [first = '', ...others] = listNames(name);
  return others.length > 0 && FORMS_OF_ADDRESS.has(first)
    ? (RELATIONS_BY_WORD.get(first) ?? [])
    : [];
}
const RELATIONS_BY_WORD = new Map(RELATION_WORDS);

/** First names and last names: those of Japanese are not segmented, since a part of one is another word. */
const listNames = (name: string): string[] =>
  isUnspaced(name) ? name.split(/[\s・]+/).map(toPlaceTerm) : tokenize(name);

const groupAlbums = (albums: readonly Named[]): Lexicon['albums'] =>
  new Map(
    [...Map.groupBy(albums, ({ name }) => toPlaceTerm(name))].map(([key, list]) => [
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
