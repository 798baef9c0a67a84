import { fold } from '../search/index.ts';

/** A line as it was recognized, and what the owner says about it. */
export type EditedLine = {
  readonly line: number;
  readonly text: string;
  readonly action: 'correct' | 'dismiss' | null;
  /** Of a correction. */
  readonly corrected: string | null;
};

export const getText = ({ text, corrected }: EditedLine): string => corrected ?? text;

export const omitDismissed = <Line extends EditedLine>(lines: readonly Line[]): Line[] =>
  lines.filter(({ action }) => action !== 'dismiss');

/** With corrections, without what was dismissed. */
export const joinLines = (lines: readonly EditedLine[]): string =>
  omitDismissed(lines).map(getText).join('\n');

/** What a search finds: what the lines say, and what they were recognized as. */
export function searchableText(lines: readonly EditedLine[]): string {
  const shown = omitDismissed(lines);
  const replaced = shown.filter(({ action }) => action === 'correct').map(({ text }) => text);
  return [...shown.map(getText), ...replaced].join('\n');
}

/** As `document.folded` is written and asked. */
export const foldLines = (text: string): string => fold(text).replaceAll(/\s+/g, ' ');
