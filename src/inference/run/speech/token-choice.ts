import { summarizeLogits } from './logits.ts';
import type { SpeechTokens } from './tokens.ts';

/** A token, and how sure the model is of it: the logarithm of its probability. */
export type ChosenToken = { readonly token: number; readonly logProbability: number };

/** Latest initial timestamp, in steps of 20 ms: 1 s. */
const MAX_INITIAL_TIME = 50;
/** A phrase of this many words is not repeated when repetition is forbidden. */
const MAX_REPEATED_WORDS = 3;

/**
 * The likeliest token that may come now. Times come in pairs around what is said, the first thing is
 * a time, and they never go back (OpenAI's rules). `logits` are changed.
 */
export function chooseNextToken(
  logits: Float32Array,
  chosen: readonly ChosenToken[],
  tokens: SpeechTokens,
  forbidRepetition: boolean,
): ChosenToken {
  const { firstTime, end } = tokens;
  forbid(logits, tokens.never);
  if (chosen.length === 0) {
    forbid(logits, tokens.notFirst);
    logits.fill(-Infinity, 0, firstTime);
    logits.fill(-Infinity, firstTime + MAX_INITIAL_TIME + 1);
  }
  const isTime = (at: number) => (chosen.at(at)?.token ?? firstTime) >= firstTime;
  if (chosen.length > 0) {
    if (isTime(-1) && isTime(-2)) logits.fill(-Infinity, firstTime);
    else if (isTime(-1)) logits.fill(-Infinity, 0, end);
    const latest = chosen.findLast(({ token }) => token >= firstTime);
    // The same time again ends one thing and begins the next.
    const next = (latest?.token ?? firstTime) + (isTime(-1) ? 0 : 1);
    logits.fill(-Infinity, firstTime, Math.min(next, logits.length));
  }
  if (forbidRepetition) forbid(logits, listRepeatingTokens(chosen, firstTime));
  const { best, logProbability, times, bestWord } = summarizeLogits(logits, firstTime);
  // All times together are likelier than any word: then it is one of them.
  if (times > bestWord && best < firstTime) {
    logits.fill(-Infinity, 0, firstTime);
    const again = summarizeLogits(logits, firstTime);
    return { token: again.best, logProbability: again.logProbability };
  }
  return { token: best, logProbability };
}

function forbid(logits: Float32Array, tokens: Iterable<number>): void {
  for (const token of tokens) if (token < logits.length) logits[token] = -Infinity;
}

/** Returns the tokens that would repeat three words in a row. */
function listRepeatingTokens(chosen: readonly ChosenToken[], firstTime: number): number[] {
  const words = chosen.map(({ token }) => token).filter((token) => token < firstTime);
  const last = words.slice(1 - MAX_REPEATED_WORDS);
  if (last.length < MAX_REPEATED_WORDS - 1) return [];
  return words.filter(
    (_, at) => at >= last.length && last.every((word, n) => words[at - last.length + n] === word),
  );
}
