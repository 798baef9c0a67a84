import { RE2JS } from 're2js';
import { invalidField } from '../../../core/errors.ts';
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

/**
 * Returns whether a text matches a pattern. Expressions are those of RE2: their cost grows with the length
 * of the text only, whoever wrote them. Throws 400 for an expression that RE2 does not know.
 */
export function compileTextMatch({
  pattern,
  matchType = 'contains',
  caseSensitive = false,
}: TextMatchConfig): (text: string) => boolean {
  if (matchType === 'regex') return compileExpression(pattern, caseSensitive);
  const fold = (text: string) => (caseSensitive ? text : text.toLowerCase());
  const wanted = fold(pattern);
  if (matchType === 'exact') return (text) => fold(text) === wanted;
  if (matchType === 'startsWith') return (text) => fold(text).startsWith(wanted);
  return (text) => fold(text).includes(wanted);
}

function compileExpression(pattern: string, isCaseSensitive: boolean): (text: string) => boolean {
  try {
    const expression = RE2JS.compile(pattern, isCaseSensitive ? 0 : RE2JS.CASE_INSENSITIVE);
    return (text) => expression.matcher(text).find();
  } catch (error) {
    throw invalidField('pattern', `Invalid expression: ${(error as Error).message}`);
  }
}
