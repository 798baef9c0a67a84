import { foldInPlace } from '../match/words.ts';
import type { Entry, Lexicon, Word } from './lexicon.ts';
import { locateWords } from './lexicon.ts';
import { isStopWord } from '../labels/function-words.ts';
import { withoutElision } from '../labels/inflection.ts';
import { createInflection } from './name-inflection.ts';
import { isUnspaced } from './place-terms.ts';

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

type Options = {
  /** That of the page. */
  readonly language?: string | undefined;
  /** Returns whether words are a term that names a thing: a 'Boston terrier' is no Boston. */
  readonly isTerm?: ((term: string) => boolean) | undefined;
};

/** Returns the names in a list of words with their offsets, longest first; no word is used twice. */
export function findLongestNames(
  words: readonly Word[],
  { names }: Lexicon,
  { language, isTerm }: Options = {},
): { readonly start: number; readonly end: number; readonly entry: Entry }[] {
  const found: { start: number; end: number; entry: Entry }[] = [];
  const taken = new Set<Word>();
  const findInflected = createInflection(words, names, language);
  const findTrip = ([word, ...others]: readonly Word[]) =>
    word && others.length === 0 ? findTripTo(word, names) : undefined;
  for (const find of [(some: readonly Word[]) => findName(some, names), findInflected, findTrip]) {
    for (let length = Math.min(MAX_NAME_WORDS, words.length); length >= 1; length--) {
      for (let at = 0; at + length <= words.length; at++) {
        const some = words.slice(at, at + length);
        const [first, last] = [some.at(0), some.at(-1)];
        if (!first || !last || some.some((word) => taken.has(word))) continue;
        const bare = withoutElided(first);
        const whole = find(some, at);
        const entry = whole ?? (bare && find([bare, ...some.slice(1)], at));
        if (!entry) continue;
        const name = whole || !bare ? first : bare;
        const sides = {
          before: words[at - 1],
          after: words[at + length],
          isElided: name === bare,
          language,
        };
        if (lacksHint(name, entry, sides)) continue;
        if (length === 1 && isCommonWord(name, entry, sides)) continue;
        if (length === 1 && isTerm && isColour(name, entry, sides, isTerm)) continue;
        if (isPink(words, at)) continue;
        if (isUnspaced(last.folded) && isPartOfWord(some, entry, sides)) continue;
        if (PLACES.has(entry.field) && isTerm && isInTerm(words, at, length, isTerm)) continue;
        for (const word of some) taken.add(word);
        found.push({ start: name.start, end: last.end, entry });
      }
    }
  }
  return found;
}

const TRIP = /^(.{3,}?)(?:s|n)?(?:urlaub|reise|ferien|fahrt|ausflug|trip|vakantie|reis|reisje)$/;

/** German and Dutch name a trip by its place in one word: 'Italienurlaub', 'Frankrijkreis'. */
function findTripTo({ folded }: Word, names: Lexicon['names']): Entry | undefined {
  const place = TRIP.exec(folded)?.[1];
  const entry = place === undefined ? undefined : names.get(place);
  return entry && PLACES.has(entry.field) ? { ...entry, needs: 'letters' } : undefined;
}

const PLACES: ReadonlySet<Entry['field']> = new Set(['city', 'state', 'country']);
/** Words of the longest term that a place may be a part of. */
const MAX_TERM_WORDS = 4;

/** Returns whether words around a name are a longer term with it. */
function isInTerm(
  words: readonly Word[],
  at: number,
  length: number,
  isTerm: (term: string) => boolean,
): boolean {
  for (let from = Math.max(0, at + length - MAX_TERM_WORDS); from <= at; from++)
    for (let to = at + length; to <= Math.min(words.length, from + MAX_TERM_WORDS); to++) {
      const some = words.slice(from, to).map(({ folded }) => folded);
      const separator = some.every(isUnspaced) ? '' : ' ';
      if (some.length > length && isTerm(some.join(separator))) return true;
    }
  return false;
}

type Sides = {
  readonly before: Word | undefined;
  readonly after: Word | undefined;
  /** Whether an article or a preposition is elided before it. */
  readonly isElided: boolean;
  /** That of the page. */
  readonly language: string | undefined;
};

const KATAKANA = /^[\p{sc=Katakana}ー]+$/u;
/** Words behind a place; those before it are prepositions. */
const PLACE_AFTER = new Set(['て', 'に', 'へ', '市', '拍']);

/** Katakana beside Katakana is one word, and what is a word of the language is a place beside a particle. */
function isPartOfWord(some: readonly Word[], { needs }: Entry, { before, after }: Sides): boolean {
  const isWord = needs === 'preposition' || needs === 'capital';
  if (
    isWord &&
    !PLACE_PREPOSITIONS.has(before?.folded ?? '') &&
    !PLACE_AFTER.has(after?.folded ?? '')
  )
    return true;
  const [first, last] = [some.at(0), some.at(-1)];
  const isBound = (one: Word | undefined, other: Word | undefined) =>
    one?.end === other?.start &&
    KATAKANA.test(one?.folded ?? '') &&
    KATAKANA.test(other?.folded ?? '');
  return isBound(before, first) || isBound(last, after);
}

/** Returns the word behind an elided one, which tells of a place: dell'India, l'Allemagne. */
function withoutElided(word: Word): Word | undefined {
  const bare = withoutElision(word.folded);
  const start = word.end - bare.length;
  return bare === word.folded ? undefined : { ...word, folded: bare, start };
}

/** A name without spaces may be cut into words otherwise than beside others. */
function findName<T>(
  some: readonly Word[],
  names: Pick<ReadonlyMap<string, T>, 'get'>,
): T | undefined {
  const spaced = names.get(some.map(({ folded }) => folded).join(' '));
  if (spaced || !some.every(({ folded }) => isUnspaced(folded))) return spaced;
  const areJoined = some.every(({ start }, at) => at === 0 || some[at - 1]?.end === start);
  return areJoined ? names.get(some.map(({ folded }) => folded).join('')) : undefined;
}

const QUOTE = '["“”„\'‘’«»‹›「」『』《》]';
const ALBUM = 'albums?|albumie|albumu|albumow|альбоме?|альбома';
const ALBUM_BEFORE = new RegExp(
  `(?:${[
    `(?:(?<!\\p{L})(?:in|from|of|im|aus|dans|de|du|en|del|nel|dal|nell|dell|uit|van|w|we|z|ze|no|do|na|в|во|из)(?:\\s+|['’]))?` +
      `(?:(?:the|my|our|dem|meinem|unserem|l|mon|notre|el|mi|nuestro|il|mio|nostro|het|mijn|ons|moim|naszym|o|meu|nosso|моем|нашем)(?:\\s+|['’]))?` +
      `(?<!\\p{L})(?:${ALBUM})(?:\\s+|:\\s*)${QUOTE}?`,
    `(?:在)?相册(?:里的)?[\\s:：]*${QUOTE}?`,
    `アルハム(?:の|は)?[\\s:：]*${QUOTE}?`,
  ].join('|')})$`,
  'u',
);
const ALBUM_AFTER = new RegExp(
  `^${QUOTE}?(?:[\\s-]+(?:${ALBUM})(?!\\p{L})|(?:の|という)?アルハム(?:の中|内|に(?:ある|入っている))?|(?:的)?相册(?:里|中|内)?)`,
  'u',
);
/** Words that say that a name is a tag, and that only items with it are meant. */
export const TAG_BEFORE = new RegExp(
  `(?:(?<!\\p{L})(?:(?:with|mit|avec|con|met|z|com|in|by|и|с)\\s+)?(?:(?:the|dem|le|la|el|il|de|o|a)\\s+|l['’])?(?:tags?|tagged(?:\\s+(?:as|with))?|schlagwort|stichwort|(?:getaggt|verschlagwortet)(?:\\s+(?:als|mit))?|etiquetas?|etiquetad[oa]s?(?:\\s+(?:como|con|com))?|etiquettes?|etiquetee?s?(?:\\s+comme)?|mot-cle|etichett[ae]|(?:taggat|etichettat)[aeio](?:\\s+(?:come|con))?|labels?|getagd(?:\\s+(?:als|met))?|tagiem|otagowan\\p{L}+(?:\\s+jako)?|marcador|marcad[oa]s?\\s+como|тег(?:ом)?)(?:\\s+|:\\s*)|(?:タク|标签|標签)[の「：:\\s]*|#)${QUOTE}?$`,
  'u',
);
const CLOSING = new RegExp(`^${QUOTE}`, 'u');

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
      const album = findName(some, albums);
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
  if (before) return { start: before.index, end: end + (CLOSING.test(query.slice(end)) ? 1 : 0) };
  const after = ALBUM_AFTER.exec(foldInPlace(query.slice(end)));
  const opening = CLOSING.test(query.slice(start - 1, start)) ? 1 : 0;
  return after ? { start: start - opening, end: end + after[0].length } : undefined;
}

const PLACE_PREPOSITIONS = new Set(
  `in at from near aus bei nach von to around
  a au aux vers chez depuis en dans nel nella ad da dal dalla di bij naar uit te tot w we do ze z pod kolo em no na
  nos nas ao de del du des van von в во из около под у 在 去 于`.split(/\s+/),
);

/** Prepositions that are other words of English, as in 'a nice day'. */
const ARTICLES = new Set(['a', 'do', 'no', 'to']);
/** Languages in which these are mostly prepositions. */
const WITHOUT_ARTICLES: ReadonlySet<string | undefined> = new Set(['es', 'fr', 'it', 'pl', 'pt']);

/** Letters of a town's name in another language that is written without a capital and a preposition. */
const MIN_LETTERS = 4;

const hasPreposition = ({ isCapital }: Word, { before, isElided, language }: Sides): boolean => {
  const preposition = before?.folded ?? '';
  const isPreposition = PLACE_PREPOSITIONS.has(preposition);
  const isArticle = ARTICLES.has(preposition) && !WITHOUT_ARTICLES.has(language);
  return isElided || (isPreposition && (isCapital || !isArticle));
};

/** Returns whether a town's name in another language is written like an ordinary word. */
function lacksHint(first: Word, { needs }: Entry, sides: Sides): boolean {
  if (!needs || isUnspaced(first.folded) || hasPreposition(first, sides)) return false;
  if (needs === 'preposition') return true;
  return !first.isCapital && (needs === 'capital' || first.folded.length < MIN_LETTERS);
}

/** 'Cor-de-rosa' is pink. */
const isPink = (words: readonly Word[], at: number): boolean =>
  words[at]?.folded === 'rosa' && words[at - 1]?.folded === 'de' && words[at - 2]?.folded === 'cor';

/** First names that are colours, too. */
const COLOURS = new Set(
  `amber bianca blanca celeste coral hazel indigo jade lila olive rosa rose ruby scarlet violet violeta viola`.split(
    ' ',
  ),
);
const DETERMINERS = new Set(
  `the a an my der die das den dem des ein eine einen einem einer le la un une el los las il lo gli het een o os as um uma`.split(
    ' ',
  ),
);
/** Languages in which a colour stands behind its thing. */
const COLOUR_BEHIND: ReadonlySet<string | undefined> = new Set(['es', 'fr', 'it', 'pt']);

/** Returns whether a first name is the colour of a thing beside it: 'das rosa Dreirad', 'un vestido rosa'. */
function isColour(
  { folded, isCapital }: Word,
  { field }: Entry,
  { before, after, language }: Sides,
  isTerm: (term: string) => boolean,
): boolean {
  if (field !== 'personIds' || isCapital || !COLOURS.has(folded)) return false;
  const isThing = (word: Word | undefined) =>
    word !== undefined && !isStopWord(word.folded) && isTerm(word.folded);
  if (DETERMINERS.has(before?.folded ?? '')) return isThing(after);
  return COLOUR_BEHIND.has(language) && isThing(before);
}

function isCommonWord(word: Word, { field, isLast }: Entry, sides: Sides): boolean {
  if (isLast && COMMON_LAST_NAMES.has(word.folded)) return !word.isCapital;
  const isCommon = PLACES.has(field) && COMMON_PLACE_WORDS.has(word.folded);
  return isCommon && !hasPreposition(word, sides);
}
