import { type SQL, sql } from 'drizzle-orm';
import { fold } from '../core/fold-text.ts';

// Conditions on texts without regard to case and accents, in either Unicode form.

const likePattern = (text: string): string => fold(text).replaceAll(/[\\%_]/g, String.raw`\$&`);

export const containsText = (expression: SQL, text: string): SQL =>
  sql`fold_text(${expression}) like ${`%${likePattern(text)}%`}`;

export const startsWithText = (expression: SQL, text: string): SQL =>
  sql`fold_text(${expression}) like ${`${likePattern(text)}%`}`;

export const endsWithText = (expression: SQL, text: string): SQL =>
  sql`fold_text(${expression}) like ${`%${likePattern(text)}`}`;

/** Characters between words of a name. */
const BETWEEN_WORDS = /[\s\-'’.,]+/g;

/** Condition: the name, or a word of it, begins with the text. */
export const hasWordStart = (expression: SQL, text: string): SQL =>
  sql`' ' || regexp_replace(fold_text(${expression}), ${BETWEEN_WORDS.source}, ' ', 'g')
    like ${`% ${likePattern(text).replaceAll(BETWEEN_WORDS, ' ').trimStart()}%`}`;
