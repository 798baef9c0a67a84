// A recogniser answers with letters of its own alphabet also where the picture has others: Cyrillic becomes
// "MockBy", Greek "Kαλós", "Größe" becomes "GröBe". Such lines are told by words that no language writes, and by
// how sure the recogniser is of them.

type ReadText = { readonly text: string; readonly score: number };

/** Share of a line's letters that are in impossible words. */
const MANY = 0.5;
/** Below this confidence a line with many of them is noise, and one with some of them below the second. */
const SURE = 0.95;
const HARDLY_SURE = 0.86;
/** Capitals at odd places are believed from this one on. */
const SURELY_CASED = 0.9;
/** A longer line of letters is noise below this confidence: right ones are read with 0.82 and more. */
const UNSURE = 0.75;
const LONG = 8;
const MOSTLY = 0.65;
/** On a page of which so large a share is noise, lines must be read as surely as this. */
const NOISY_PAGE = 0.5;
const CERTAIN = 0.97;

/** Returns the lines that are not noise. Numbers, codes and scripts without cases are never noise by themselves. */
export function omitNoise<Line extends ReadText>(lines: readonly Line[]): Line[] {
  const judged = lines.map((line) => ({ line, letters: countLetters(line.text), ...judge(line) }));
  const noise = judged.filter(({ isNoise }) => isNoise);
  const isNoisyPage = noise.length > 1 && sumLetters(noise) >= NOISY_PAGE * sumLetters(judged);
  return judged
    .filter(({ line, isNoise, letters }) => {
      if (isNoise) return false;
      return !isNoisyPage || line.score >= CERTAIN || letters < line.text.length / 2;
    })
    .map(({ line }) => line);
}

const sumLetters = (lines: readonly { readonly letters: number }[]): number =>
  lines.reduce((sum, { letters }) => sum + letters, 0);

const CASED = /\p{Lu}|\p{Ll}/gu;
const countLetters = (text: string): number => text.match(CASED)?.length ?? 0;

function judge({ text, score }: ReadText): { readonly isNoise: boolean } {
  const words = text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  let [letters, impossible, mixed] = [0, 0, 0];
  for (const word of words) {
    const count = countLetters(word);
    letters += count;
    if (mixesAlphabets(word)) mixed += count;
    else if (isImpossible(word, score)) impossible += count;
  }
  if (letters === 0) return { isNoise: false };
  const share = (mixed + impossible) / letters;
  const isNoise =
    (share >= MANY && (mixed > 0 || score < SURE)) ||
    (share > 0 && score < HARDLY_SURE) ||
    (letters >= LONG && letters / text.length >= MOSTLY && score < UNSURE);
  return { isNoise };
}

/** Greek letters of units and formulas, beside Latin ones: 5μm, 10kΩ, Δt, πr. */
const FORMULA = /^\p{N}*[kMGm]?[µμΩΩπΔΣαβγ][\p{Script=Latin}\p{N}]{0,3}$/u;

/** Returns whether a word has letters of several alphabets. */
function mixesAlphabets(word: string): boolean {
  const alphabets = [/\p{Script=Latin}/u, /\p{Script=Greek}/u, /\p{Script=Cyrillic}/u];
  return alphabets.filter((letter) => letter.test(word)).length > 1 && !FORMULA.test(word);
}

/** A lone ideograph before small Latin letters, as Ш is read. */
const LONE_IDEOGRAPH = /^[\p{Script=Han}\p{Script=Katakana}]\p{Ll}{2,}$/u;
/** A digit within small letters, as б and з are read; short ones are names (k8s, b2b, mp3). */
const DIGIT_WITHIN = /\p{L}\d\p{Ll}|\p{Ll}\d\p{L}/u;
const SHORT_WORD = 4;

/** ß is read as B before the endings of words (GroBe, WeiB), or with a consonant before it (Grölße). */
const SHARP_S = /^\p{Lu}?\p{Ll}+[aeiouäöü]B(?:e[mnrs]?|t|te|ten)?$|[bcdfghj-np-tvwxz]ß/u;

function isImpossible(word: string, score: number): boolean {
  if (LONE_IDEOGRAPH.test(word)) return true;
  if (word.length <= SHORT_WORD) return SHARP_S.test(word);
  // Several digits make a code: hT7kQ2xR.
  const digits = word.match(/\d/g)?.length ?? 0;
  return digits < 2 && (DIGIT_WITHIN.test(word) || hasImpossibleCase(word, score));
}

/**
 * Returns whether capitals stand where no language and no brand has them: after small letters, they begin a part
 * of at least three letters (MacBook, McDonald, YouTube) or are the word's only ones, if those are read surely
 * (LinkedIn, macOS).
 */
function hasImpossibleCase(word: string, score: number): boolean {
  if (SHARP_S.test(word)) return true;
  const parts = word.split(/(?<=\p{Ll})(?=\p{Lu})/u).slice(1);
  const [odd, ...others] = parts.filter((part) => !/^\p{Lu}\p{Ll}{2,}$/u.test(part));
  if (odd === undefined) return false;
  return others.length > 0 || score < SURELY_CASED || /^\p{Lu}{2,}\p{Ll}/u.test(odd);
}
