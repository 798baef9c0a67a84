import { listTellingLanguages } from '../labels/function-words.ts';
import type { Entry, Lexicon, Word } from './lexicon.ts';

// Names in the cases of Polish, Russian and German: 'Leona i Karla', 'w Paryżu', 'без Розы', 'Mias'. Folded, so without diacritics.

type Ending = readonly [ending: string, base: readonly string[]];
/** The longer ones first: 'ie' before 'e'. */
const parse = (text: string): readonly Ending[] =>
  text
    .split(/\s+/)
    .map((rule): Ending => {
      const [ending = '', base = ''] = rule.split('>');
      return [ending, base.split(',')];
    })
    .toSorted(([a], [b]) => b.length - a.length);

const POLISH =
  parse(`y>a,,e i>a,ia,,o,e,y e>a,,o,y o>a a>,ek,el,er,y u>,o,e,ek ie>a,ia,,o io>ia iu>,io cie>ta,t,to
  dzie>da,d,do dze>ga ze>ga,z ce>ka,ca rze>ra,r sze>cha le>la,l,lo lem>l,el la>el lowi>el ka>ek,ka kiem>ek,k kowi>ek,k
  ku>ek,k owi> em>,e iem>,e iego>i ego>y,e emu>y,i,e im>i,ie ym>y,e iej>a,ia ej>a ach>y,i,a iach>ie,ia ech>y ii>ia ji>ja
  ia>ien om>y,i ami>y,i wie>wa,w,ow nie>na,n,nia mie>ma,m sie>sa,s pie>pa,p bie>ba,b zie>za,z ow>y ra>er,r`);
const RUSSIAN =
  parse(`ы>а,,я и>а,я,ь,,и е>а,я,,ь,о,и у>а,,о ю>я,ь,и а>,о я>ь,и,я ои>а ею>я еи>я,а ии>ия иеи>ия ию>ия
  ом>,о,ыи ем>,ь,и,е ым>ыи,ое им>ии ого>ыи,ое ои>а,ая их>ие ых>ые ах>ы,и,а ях>и,я ов>ы, ам>ы ами>ы ью>ь еву>ев`);
/** The genitive: 'Mias Geburtstag'. */
const GERMAN = parse('s>');
/** Forms that no rule explains. */
const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ['niemczech', 'niemcy'],
  ['niemiec', 'niemcy'],
  ['wloszech', 'wlochy'],
  ['wloch', 'wlochy'],
  ['wegrzech', 'wegry'],
  ['wegier', 'wegry'],
  ['czech', 'czechy'],
  ['wiedniu', 'wieden'],
  ['wiednia', 'wieden'],
  ['aten', 'ateny'],
  ['афин', 'афины'],
]);

/** Letters of a form that is no other word by chance, and of one without a capital. */
const MIN_LETTERS = 3;
const MIN_PLAIN_LETTERS = 5;
const MIN_STEM = 2;
const MAX_WORDS = 3;

const CYRILLIC = /^\p{sc=Cyrillic}+$/u;
const LATIN = /^\p{sc=Latin}+$/u;

/** Words that stand beside an inflected name only in these languages. */
const BESIDE = new Set(
  `w we z ze bez i oraz od do dla u na przy o oprocz nie ma в во с со без и для у от до из о об к на кроме нет`.split(
    /\s+/,
  ),
);
const FIELDS: ReadonlySet<Entry['field']> = new Set([
  'personIds',
  'petIds',
  'city',
  'state',
  'country',
]);

const PEOPLE: ReadonlySet<Entry['field']> = new Set(['personIds', 'petIds']);

/** Returns the search for names in another case, among words of a query. `language`: that of the page. */
export function createInflection(
  words: readonly Word[],
  names: Lexicon['names'],
  language: string | undefined,
): (some: readonly Word[], at: number) => Entry | undefined {
  const telling = listTellingLanguages(words.map(({ folded }) => folded));
  const isPolish = language === 'pl' || telling.join() === 'pl';
  // 'I leoni che abbiamo visto': the words beside are Italian.
  const mayBePolish = isPolish || telling.length === 0 || telling.includes('pl');
  return (some, at) => {
    if (some.length > MAX_WORDS) return undefined;
    const isBeside =
      BESIDE.has(words[at - 1]?.folded ?? '') || BESIDE.has(words[at + some.length]?.folded ?? '');
    const rules = some.every(({ folded }) => CYRILLIC.test(folded))
      ? RUSSIAN
      : mayBePolish && (isPolish || isBeside) && some.every(({ folded }) => LATIN.test(folded))
        ? POLISH
        : language === 'de'
          ? GERMAN
          : undefined;
    if (!rules) return undefined;
    const letters = some.reduce((sum, { folded }) => sum + folded.length, 0);
    const isCapital = some.every((word) => word.isCapital);
    const isBehind = BESIDE.has(words[at - 1]?.folded ?? '');
    const isMarked = isCapital || (isPolish && isBehind) || rules === GERMAN;
    if (letters < (isMarked ? MIN_LETTERS : MIN_PLAIN_LETTERS)) return undefined;
    const isGenitive = rules === GERMAN && some.length === 1;
    if (!isCapital && !isBehind && !isPolish && !isGenitive) return undefined;
    for (const form of listForms(some, rules)) {
      const entry = names.get(form);
      if (!entry || !FIELDS.has(entry.field) || entry.hint) continue;
      // Without a capital, towns are behind a preposition, and no ordinary words.
      const isPlain = entry.needs === undefined || entry.needs === 'letters';
      const isTown = isBehind && isPlain && form.length >= MIN_PLAIN_LETTERS;
      if (letters < MIN_PLAIN_LETTERS && !isCapital && !PEOPLE.has(entry.field)) continue;
      if (isCapital || PEOPLE.has(entry.field) || isTown) return entry;
    }
    return undefined;
  };
}

function listForms(some: readonly Word[], rules: readonly Ending[]): string[] {
  let forms = [''];
  for (const { folded } of some) {
    const own = [IRREGULAR.get(folded) ?? [], listBases(folded, rules), folded].flat();
    forms = forms.flatMap((start) => own.map((base) => (start === '' ? base : `${start} ${base}`)));
  }
  return forms;
}

const listBases = (word: string, rules: readonly Ending[]): string[] =>
  rules.flatMap(([ending, bases]) => {
    const stem = word.slice(0, word.length - ending.length);
    return word.endsWith(ending) && stem.length >= (ending === 'ii' ? 1 : MIN_STEM)
      ? bases.map((base) => stem + base)
      : [];
  });
