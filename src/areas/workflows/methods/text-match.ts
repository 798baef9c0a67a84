import { RE2JS } from 're2js';
import { invalidField } from '../../../core/errors.ts';
import { fold } from '../../../core/fold-text.ts';
import { choice } from './define.ts';

export const TextMatch = choice(['contains', 'startsWith', 'exact', 'regex'], {
  title: 'Match type',
  description: 'Type of pattern matching to perform',
  default: 'contains',
});

type TextMatchConfig = {
  readonly pattern: string;
  readonly matchType?: 'contains' | 'startsWith' | 'exact' | 'regex' | undefined;
  readonly caseSensitive?: boolean | undefined;
};

/** Instructions of an expression, which an owner may choose freely. */
const MAX_PROGRAM = 800;
/** Instructions times characters: less than 10 ms. A file name of 255 bytes is always searched whole. */
const MAX_WORK = 200_000;

/**
 * Returns whether a text matches a pattern. Expressions are those of RE2: their cost grows with the length
 * of the text and of the expression only, and long texts are searched from their beginning as far as that
 * stays below 10 ms. Throws 400 for an expression that RE2 does not know, and for one that is too large.
 */
export function compileTextMatch({
  pattern,
  matchType = 'contains',
  caseSensitive = false,
}: TextMatchConfig): (text: string) => boolean {
  if (matchType === 'regex') return compileExpression(pattern, caseSensitive);
  const toKey = caseSensitive ? (text: string) => text.normalize('NFC') : fold;
  const wanted = toKey(pattern);
  if (matchType === 'exact') return (text) => toKey(text) === wanted;
  if (matchType === 'startsWith') return (text) => toKey(text).startsWith(wanted);
  return (text) => toKey(text).includes(wanted);
}

function compileExpression(pattern: string, isCaseSensitive: boolean): (text: string) => boolean {
  const expression = parseExpression(pattern, isCaseSensitive);
  const size = expression.programSize();
  if (size > MAX_PROGRAM) throw invalidField('pattern', 'The expression is too large');
  const length = Math.floor(MAX_WORK / size);
  return (text) => expression.matcher(text.slice(0, length)).find();
}

function parseExpression(pattern: string, isCaseSensitive: boolean): RE2JS {
  try {
    return RE2JS.compile(pattern, isCaseSensitive ? 0 : RE2JS.CASE_INSENSITIVE);
  } catch (error) {
    throw invalidField('pattern', `Invalid expression: ${(error as Error).message}`);
  }
}
