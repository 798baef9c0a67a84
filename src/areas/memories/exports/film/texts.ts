import type { Language } from '../../../../core/languages.ts';
import type { Size } from '../../../../media/sizes.ts';
import type { FilmAsset } from './film.store.ts';
import { findFont, keepDrawable, withoutEmoji } from '../../../../media/fonts.ts';

export const MARGIN = 96;
/** Width of an average letter, by the size of the font. */
const LETTER = 0.56;

export type TitleText = { readonly title: string; readonly subtitle: string };

const TITLE = { size: 92, lines: 3 };
const SUBTITLE = { size: 48, lines: 2 };
const CAPTION = { size: 42, lines: 1 };

/** A line of text as it lies on the canvas: lengths in pixels. */
export type Line = {
  readonly text: string;
  /** Height of letters. */
  readonly size: number;
  /** Upper edge. */
  readonly y: number;
};

/** Returns the lines of the title card, which lie in the middle. */
export async function layOutTitle(
  { title, subtitle }: TitleText,
  canvas: Size,
  signal?: AbortSignal,
): Promise<Line[]> {
  const toBlocks = async (text: string, style: typeof TITLE) =>
    wrap(await keepDrawable(withoutEmoji(text), signal), style, canvas).map((line) => ({
      text: line,
      size: style.size,
    }));
  const blocks = [...(await toBlocks(title, TITLE)), ...(await toBlocks(subtitle, SUBTITLE))];
  const getHeight = ({ size }: { readonly size: number }) => Math.round(size * 1.35);
  const height = blocks.reduce((sum, block) => sum + getHeight(block), 0);
  let top = Math.round((canvas.height - height) / 2);
  return blocks.map((block) => {
    const y = top;
    top += getHeight(block);
    return { ...block, y };
  });
}

/** Returns date and place, which begin at the margin: the first of `captions` that a font has. */
export async function layOutCaption(
  captions: readonly string[],
  canvas: Size,
  signal?: AbortSignal,
): Promise<Line[]> {
  let caption = '';
  for (const one of captions.map(withoutEmoji)) {
    if (caption === '' && (await findFont(one, signal))) caption = one;
  }
  const { size } = CAPTION;
  return wrap(caption, CAPTION, canvas).map((text) => ({
    text,
    size,
    y: canvas.height - MARGIN - size,
  }));
}

/**
 * Returns date and place as '12 March 2024 · Lisbon', then what says the same or less in other letters:
 * '2024-03-12 · Lisbon', '12 March 2024', '2024-03-12'.
 */
export function composeCaptions({ localTakenAt, place }: FilmAsset, language: Language): string[] {
  const taken = new Date(`${localTakenAt.replace(' ', 'T')}Z`);
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' });
  const dates = [date.format(taken), localTakenAt.slice(0, 10)];
  return [...(place ? dates.map((one) => `${one} · ${place}`) : []), ...dates];
}

const isWide = (char: string) =>
  /[\u1100-\u11FF\u2E80-\uD7AF\uF900-\uFAFF\uFF00-\uFF60]/.test(char);
const measure = (text: string): number =>
  Array.from(text).reduce((sum, char) => sum + (isWide(char) ? 1 / LETTER : 1), 0);

/** Breaks a text into lines between words, or between letters of a script without spaces. */
export function wrap(
  text: string,
  { size, lines: most }: { readonly size: number; readonly lines: number },
  canvas: Size,
): string[] {
  const width = (canvas.width - 2 * MARGIN) / (size * LETTER);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((one) => splitWord(one, width))) {
    const longer = line === '' ? word.text : `${line}${word.isNew ? ' ' : ''}${word.text}`;
    if (line !== '' && measure(longer) > width) {
      lines.push(line);
      line = word.text;
    } else line = longer;
  }
  if (line !== '') lines.push(line);
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), `${lines[most - 1]}…`];
}

function splitWord(word: string, width: number): { text: string; isNew: boolean }[] {
  const isBreakable = measure(word) > width || Array.from(word).some(isWide);
  const parts = isBreakable ? Array.from(word) : [word];
  return parts.map((text, index) => ({ text, isNew: index === 0 }));
}
