import { isFunctionWord } from '../labels/function-words.ts';
import { foldInPlace } from '../match/words.ts';
import { toLatin } from './date-terms.ts';

// A query may name the text that a picture shows: 'a shirt that says Puma', 'Schild mit der Aufschrift Ausfahrt'. For
// folded text.

const QUOTES = '"“”„«»「」『』‘’\'';
/** The text in quotes, or the words up to the end; then cut where the sentence goes on. */
const BEHIND = String.raw`[\s:]+(?:[${QUOTES}](?<quoted>[^${QUOTES}]+)[${QUOTES}]|(?<words>\S.*))`;
const BETWEEN = String.raw`[${QUOTES}]?(?<inner>[^\s${QUOTES}]+(?: [^\s${QUOTES}]+){0,3}?)[${QUOTES}]?`;

/** Words before the text. */
const OPENINGS = [
  String.raw`(?:that|which|where it|it) (?:says?|reads)|saying|reading|with the (?:words?|text|writing|lettering|inscription|label)`,
  'mit (?:der |dem |den )?(?:aufschrift|text|schriftzug|beschriftung|inschrift|worten|wort)',
  'con (?:el texto|la palabra|las palabras|el letrero|la inscripcion|las? letras?|el rotulo)|(?:que|donde) (?:dice|pone|diga|ponga)',
  "avec (?:le texte|le mot|les mots|l['’]inscription|la mention|ecrit)|(?:ou|sur (?:lequel|laquelle)) (?:il est |c['’]est |est )?(?:ecrit|marque|inscrit)|qui dit",
  "con (?:la scritta|la parola|le parole|il testo|scritto)|(?:su cui|dove) (?:c['’]e scritto|e scritto|dice)|che dice",
  'com (?:o texto|a palavra|as palavras|a inscricao|os dizeres|escrito|as letras)|(?:que|onde) (?:diz|esta escrito)',
  'met (?:de tekst|het woord|de woorden|het opschrift|opschrift|de letters)',
  'z (?:napisem|napisami|tekstem|slowem|slowami)|na ktor(?:ym|ej|ych) (?:jest )?(?:napis|napisane|napisano|pisze)',
  'с (?:надписью|надписями|текстом|словом|словами)|(?:где|на котор(?:ом|ой)) (?:написано|надпись)',
];

/** The text stands within these. */
const ENCLOSING = [
  `(?:waar|waarop) ${BETWEEN} (?:op )?staat`,
  `with ${BETWEEN} (?:written|printed) on (?:it|them)`,
  `(?:com|con) ${BETWEEN} (?:escrit|scritt)[oa](?: (?:sopra|encima|nel[ea]))?`,
  `avec ${BETWEEN} ecrit(?: dessus)?`,
  `(?:mit|met) ${BETWEEN} (?:drauf|darauf|erop)`,
  `(?:auf (?:dem|der|denen)|worauf|wo) ${BETWEEN} (?:drauf ?|geschrieben )?steht`,
];
/** Languages without spaces; the text comes before the words in Japanese. */
const UNSPACED = [
  String.raw`[「『"]?(?<inner>[^\s「」『』"のを]+)[」』"]?(?:と|って)(?:書かれ|書い)て?(?:ある|いる|あった|いた|た)?`,
  String.raw`(?:写着|写有|印着|标着)[「『"“]?(?<inner>[^\s「」『』"”的]+?)[」』"”]?(?:字样|文字|的字)?(?=的|$)`,
  String.raw`(?:带有|有|带)[「『"“]?(?<inner>[^\s「」『』"”的]+?)[」』"”]?(?:字样|文字|的字)(?=的|$)`,
];

const PATTERNS = [
  new RegExp(`\\b(?:${toLatin(OPENINGS.join('|'))})${BEHIND}`, 'd'),
  ...ENCLOSING.map((pattern) => new RegExp(`\\b${pattern}`, 'd')),
];
const UNSPACED_PATTERNS = UNSPACED.map((pattern) => new RegExp(foldInPlace(pattern), 'd'));

/** Longer texts are rarely read without a mistake. */
const MAX_WORDS = 4;

export type WrittenText = {
  /** Offsets in the query of the whole phrase, and of the text. */
  readonly start: number;
  readonly end: number;
  readonly text: readonly [from: number, to: number];
};

/** Returns where a query says which text a picture shows; undefined where it does not. */
export function findWrittenText(query: string): WrittenText | undefined {
  const folded = foldInPlace(query);
  const spaced = toLatin(folded);
  const match = firstMatch(PATTERNS, spaced) ?? firstMatch(UNSPACED_PATTERNS, folded);
  const whole = match?.indices?.[0];
  if (!whole) return undefined;
  const { quoted, words, inner } = match?.indices?.groups ?? {};
  const text = quoted ?? inner ?? (words && cutWords(query, words));
  if (!text) return undefined;
  const [start, end] = whole;
  return { start, end: words ? text[1] : end, text };
}

const firstMatch = (patterns: readonly RegExp[], text: string) =>
  patterns.map((pattern) => pattern.exec(text)).find((match) => match !== null);

/** The words up to one that goes on with the sentence: 'puma | in Rome'. */
function cutWords(query: string, [from, to]: readonly [number, number]): [number, number] {
  const words = [...query.slice(from, to).matchAll(/[^\s,;]+/g)];
  const found = words.findIndex(
    ([word], at) => at === MAX_WORDS || (at > 0 && isFunctionWord(foldInPlace(word))),
  );
  const last = words[(found < 0 ? words.length : found) - 1];
  return [from, last ? from + last.index + last[0].length : to];
}
