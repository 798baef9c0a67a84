import { join } from 'node:path';
import { sha256, toHex } from '../../../core/hash.ts';
import { type Rational, toRational, toSeconds } from '../../../core/rational.ts';
import type { StudioTitle } from '../../../db/tables/studio.ts';
import { findFont, withoutEmoji } from '../../../media/fonts.ts';
import { type ClipTime, toExpression } from './clip-time.ts';
import type { ActiveTitle } from './layers.ts';

const WHITE = '#ffffff';
/** Height of the canvas by the width of the edge of its letters. */
const LETTERS_BY_EDGE = 540;

export type TitleOptions = {
  /** Runs in this folder. */
  readonly folder: string;
  /** Height of the frame in pixels. */
  readonly height: number;
  /** Seconds from one frame to the next. */
  readonly step: Rational;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Writes the titles into files of `folder`, so that no text can be a filter, and returns the filters that
 * draw them. A title that no font can draw is left out.
 */
export async function drawTitles(
  titles: readonly ActiveTitle[],
  { folder, height, step, signal }: TitleOptions,
): Promise<string[]> {
  const filters: string[] = [];
  for (const { title, passed, frames } of titles) {
    const text = withoutEmoji(title.text);
    const font = text === '' ? undefined : await findFont(text, signal);
    if (!font) continue;
    // Segments that are drawn in the same folder do not overwrite those of others.
    const name = `${toHex(sha256(text))}.txt`;
    await Bun.write(join(folder, name), text);
    const { x, y, size, color = WHITE, align = 'center', outline = false } = title;
    const edge = Math.max(1, Math.round(height / LETTERS_BY_EDGE));
    filters.push(
      `drawtext=fontfile=${font}:textfile=${name}:expansion=none:fontcolor=0x${color.slice(1)}:` +
        `fontsize=h*${size}:x=w*${x}${align === 'left' ? '' : '-text_w/2'}:y=h*${y}-text_h/2` +
        (outline ? `:borderw=${edge}:bordercolor=black@0.5` : '') +
        buildAlpha(title, { passed, step }) +
        (frames === undefined ? '' : `:enable='lt(n,${frames})'`),
    );
  }
  return filters;
}

/** Returns the option that lets a title come and go; frames are counted from the first that is drawn. */
function buildAlpha({ duration, fadeIn, fadeOut }: StudioTitle, time: ClipTime): string {
  const [shown, coming, going] = [duration, fadeIn, fadeOut].map((length) =>
    length ? toSeconds(toRational(length)) : 0,
  ) as [number, number, number];
  const now = toExpression(time, 'n');
  const shares = [
    ...(coming > 0 ? [`(${now})/${coming}`] : []),
    ...(going > 0 ? [`(${shown}-${now})/${going}`] : []),
  ];
  if (shares.length === 0) return '';
  return `:alpha='clip(${shares.reduce((a, b) => `min(${a},${b})`)},0,1)'`;
}
