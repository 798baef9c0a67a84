import { CONJUNCTIONS, listWordPatterns } from '../labels/function-words.ts';
import { foldInPlace } from '../match/words.ts';

// "Without …" before a name or a keyword, and "… is not there" behind it, in all languages of queries.

const START = '(?<![\\p{L}\\p{N}])';
const END = '(?![\\p{L}\\p{N}])';

/** 'Not only' excludes nothing. */
const ONLY = `(?!\\s+(?:only|just|nur|seulement|solo|solamente|soltanto|alleen|tylko|so|somente|apenas|только)${END})`;

const SPACED = listWordPatterns(['negations'], ['functions', 'fillers', 'requests'])
  .filter(
    ([negations]) => negations !== '' && /^[^\p{sc=Han}\p{sc=Hiragana}]/u.test(negations ?? ''),
  )
  .map(
    ([negations, between]) =>
      `${START}(?:${negations})${ONLY}[\\s'’]+(?:(?:${between})[\\s'’]+){0,4}`,
  );
/** Contractions, and 'pas', which is a belt in Polish, are negations only before these words. */
const OTHERS = [
  `\\p{L}+n['’]t\\s+(?:(?:show|have|include|with|me|any|photos?|pictures?|of)\\s+){0,4}`,
  `${START}pas\\s+(?:(?:de|avec|a|la|le|les|des|photos?|images?)\\s+){0,3}`,
  `${START}(?:other than|anything but|everyone but|everybody but|except for|apart from|a part|a excepcion de|a excecao de|a l['’]exception de|con excepcion de|met uitzondering van|mit ausnahme von|z wyjatkiem|за исключением|a eccezione di)\\s+`,
  '(?:没有|没|不含|不包括|不包含|不要|除了|除去|除|排除|无|不是|不在|非)(?:我的|我们的|和|与|跟|在|有)?\\s*',
];
const BEFORE = new RegExp(`(?:${[...SPACED, ...OTHERS].join('|')})(?:[dl]['’])?$`, 'u');

const AT_END = '(?=\\s*[,;.!?]?\\s*$)';
const BEHIND = new RegExp(
  `^(?:${[
    `\\s+(?:(?:is|are|was|were)\\s+(?:not|missing|absent)|(?:is|are|was|were)n['’]?t)(?:\\s+(?:there|present|around|visible|in (?:it|them))${END}|${AT_END})`,
    `\\s+(?:(?:ist|sind|war|waren)\\s+)?nicht(?:\\s+(?:dabei|drauf|darauf|da|mit|zu sehen|im bild|ist|sind|war|waren)${END})+`,
    `\\s+(?:fehlt|fehlen)${END}`,
    `\\s+n['’](?:est|etait|apparait|y est)\\s+pas(?:\\s+(?:la|presente?|dessus|visible)${END}|${AT_END})`,
    `\\s+(?:est\\s+)?absente?s?${END}`,
    `\\s+no\\s+(?:esta|estan|estaba|aparece|aparecen|sale|salen)${END}`,
    `\\s+non\\s+(?:c['’]e|ci sono|compare|appare|e presente|si vede)${END}`,
    `\\s+(?:er\\s+)?niet(?:\\s+(?:op|bij|aanwezig|te zien|is|staat|staan|zijn|was|zit)${END})+`,
    `\\s+nie (?:ma|bylo)${END}`,
    `\\s+nao\\s+(?:esta|estao|estava|aparece|aparecem)${END}`,
    `\\s+(?:нет|не было|отсутствует)${END}`,
    foldInPlace(
      '(?:さん|ちゃん|くん|君)?(?:なし|無し|ぬき|抜き|以外|を除[くいきけ](?:て|た)?|[がのは]い?ない|[がのは](?:写|映)って(?:い)?ない|[がのは]入って(?:い)?ない|じゃない|ではない|でない)の?',
    ),
    '(?:除外|以外|不在|没在|缺席)的?',
  ].join('|')})`,
  'u',
);

export type Negation = {
  /** Offsets of what is negated, together with the words that say so. */
  readonly start: number;
  readonly end: number;
  readonly isBehind: boolean;
};

/** 'No Brasil' is in Brazil. */
const IN_PORTUGUESE = /^no\s+$/;

/** Returns the negation of a part of the query; undefined without one. */
export function findNegation(
  query: string,
  start: number,
  end: number,
  isPlace = false,
): Negation | undefined {
  const found = BEFORE.exec(foldInPlace(query.slice(0, start)));
  const before = isPlace && found && IN_PORTUGUESE.test(found[0]) ? null : found;
  const behind = BEHIND.exec(foldInPlace(query.slice(end)));
  if (!before && !behind) return undefined;
  return {
    start: before?.index ?? start,
    end: end + (behind?.[0].length ?? 0),
    isBehind: behind !== null && before === null,
  };
}

const LINK = new RegExp(
  `^\\s*(?:[,&、，]\\s*)?(?:(?:${[...CONJUNCTIONS].join('|')})\\s*)?(?:(?:the|my|die|der|meine?|la|le|les|el|los|l['’]))?\\s*$`,
  'u',
);

const OR =
  /^\s*(?:,\s*)?(?:or|oder|ou|o|u|of|lub|albo|или|или же|または|か|或|或者)\s*(?:the|my|die|der|meine?|la|le|el|l['’])?\s*$/u;
/** Returns whether a text between two names asks for either. */
export const isOr = (between: string): boolean =>
  !between.includes('ù') && OR.test(foldInPlace(between));

/** Returns whether a text between two names lists one more: ' and ', or a comma unless `needsWord`. */
export const isLink = (between: string, needsWord = false): boolean => {
  if (needsWord && !/\p{L}/u.test(between)) return false;
  const folded = foldInPlace(between);
  // 'Where' in French, not 'or'.
  return folded.trim() !== '' && !between.includes('ù') && LINK.test(folded);
};
