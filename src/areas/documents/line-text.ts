import { fold } from '../../core/fold-text.ts';

/** A recognized line with the owner's edit. */
export type EditedLine = {
  readonly line: number;
  readonly text: string;
  readonly action: 'correct' | 'dismiss' | null;
  /** Text of a correction. */
  readonly corrected: string | null;
};

export const getText = ({ text, corrected }: EditedLine): string => corrected ?? text;

export const omitDismissed = <Line extends EditedLine>(lines: readonly Line[]): Line[] =>
  lines.filter(({ action }) => action !== 'dismiss');

/** Returns the document's text: with corrections, without dismissed lines. */
export const joinLines = (lines: readonly EditedLine[]): string =>
  omitDismissed(lines).map(getText).join('\n');

/** Returns the text for the search: shown lines and the recognized text of corrected ones. */
export function searchableText(lines: readonly EditedLine[]): string {
  const shown = omitDismissed(lines);
  const replaced = shown.filter(({ action }) => action === 'correct').map(({ text }) => text);
  return [...shown.map(getText), ...replaced].join('\n');
}

/** Returns the text in the form of `document.folded`. */
export const foldLines = (text: string): string => fold(text).replaceAll(/\s+/g, ' ');
