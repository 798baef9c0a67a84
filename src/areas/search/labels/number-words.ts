// Numbers from two to ten that say how many of a thing a picture shows. Words are folded.

/** From two on; several words of one number are joined by a slash. */
const WORDS: Readonly<Record<string, string>> = {
  de: 'zwei/zwo drei vier funf/fuenf sechs sieben acht neun zehn',
  en: 'two three four five six seven eight nine ten',
  es: 'dos tres cuatro cinco seis siete ocho nueve diez',
  fr: 'deux trois quatre cinq six sept huit neuf dix',
  it: 'due tre quattro cinque sei sette otto nove dieci',
  ja: '二 三 四 五 六 七 八 九 十',
  nl: 'twee drie vier vijf zes zeven acht negen tien',
  pl: `dwa/dwie/dwoje/dwoch/dwaj trzy/troje/trzech/trzej cztery/czworo/czterech piec/piecioro/pieciu szesc/szesciu
    siedem/siedmiu osiem/osmiu dziewiec/dziewieciu dziesiec/dziesieciu`,
  pt: 'dois/duas tres quatro cinco seis sete oito nove dez',
  ru: 'два/две/двое три/трое четыре/четверо пять/пятеро шесть семь восемь девять десять',
  zh: '二/两/俩 三 四 五 六 七 八 九 十',
};
const NUMBERS = new Map(
  Object.entries(WORDS).map(([language, text]) => [
    language,
    new Map(
      text.split(/\s+/).flatMap((words, at) => words.split('/').map((word) => [word, at + 2])),
    ),
  ]),
);
/** Returns the words of alphabets for the numbers from two to ten, in all languages, with their values. */
export const listNumberWords = (): [word: string, value: number][] =>
  [...NUMBERS].flatMap(([language, words]) =>
    language === 'ja' || language === 'zh' ? [] : [...words],
  );

/** Words before a number, which the pictures have to have at least; behind a '+' they have more. Folded. */
const LEAST: Readonly<Record<string, string>> = {
  de: '+mehr als/+uber/mindestens/wenigstens/genau/exakt/nur/etwa',
  en: '+more than/+over/at least/exactly/precisely/only/just/about',
  es: '+mas de/al menos/por lo menos/como minimo/exactamente/solo',
  fr: '+plus de/au moins/exactement/seulement',
  it: '+piu di/almeno/esattamente/solo/soltanto',
  ja: '',
  nl: '+meer dan/minstens/minimaal/ten minste/precies/slechts/alleen',
  pl: '+wiecej niz/+ponad/co najmniej/przynajmniej/dokladnie/tylko',
  pt: '+mais de/+mais do que/pelo menos/ao menos/no minimo/exatamente/so',
  ru: '+больше чем/+больше/+более/не менее/как минимум/минимум/ровно/только',
  zh: '+超过/+多于/至少/正好/刚好',
};
type Comparison = { readonly words: readonly string[]; readonly more: number };
const COMPARISONS = new Map(
  Object.entries(LEAST).map(([language, phrases]): [string, readonly Comparison[]] => [
    language,
    phrases
      .split('/')
      .filter(Boolean)
      .map((phrase) => ({
        words: phrase.replace('+', '').split(' '),
        more: phrase.startsWith('+') ? 1 : 0,
      })),
  ]),
);

/** Counters between a number and its noun: 3匹のシマウマ, 三只斑马. */
const COUNTERS = /^[匹頭头羽本台枚個个人名只隻条條位辆朵张張つ]*(?:以上)?の?$/;
const PEOPLE_COUNTERS = /[人名位]/;

export type CountWord = {
  readonly value: number;
  /** Words that it has. */
  readonly count: number;
  /** Whether it counts people: 三人. */
  readonly isOfPeople: boolean;
};

/**
 * Reads the least number that words begin with, 'three' or 'more than two', with what counts behind it; undefined for
 * none from two to ten.
 */
export function readCount(words: readonly string[], language: string): CountWord | undefined {
  const compared = COMPARISONS.get(language)?.find((one) =>
    one.words.every((word, at) => word === words[at]),
  );
  if (!compared) return readNumber(words, language);
  const { length } = compared.words;
  const number = readNumber(words.slice(length), language);
  return number && { ...number, value: number.value + compared.more, count: number.count + length };
}

function readNumber(words: readonly string[], language: string): CountWord | undefined {
  const [first = ''] = words;
  const numbers = NUMBERS.get(language);
  const toValue = (text: string) =>
    /^(?:[2-9]|10)$/.test(text) ? Number(text) : numbers?.get(text);
  const value = toValue(first);
  if (language !== 'ja' && language !== 'zh')
    return value === undefined ? undefined : { value, count: 1, isOfPeople: false };
  const [, number = '', counter = ''] =
    /^(10|[2-9]|[二三四五六七八九十两俩])(.*)$/.exec(first) ?? [];
  const known = toValue(number);
  if (known === undefined || !COUNTERS.test(counter)) return undefined;
  let [count, counters] = [1, counter];
  for (let next = words[count]; next && COUNTERS.test(next); next = words[count]) {
    counters += next;
    count++;
  }
  return { value: known, count, isOfPeople: PEOPLE_COUNTERS.test(counters) };
}
