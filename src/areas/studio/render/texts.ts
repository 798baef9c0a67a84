import { join } from 'node:path';
import { sha256, toHex } from '../../../core/hash.ts';
import type { StudioTitle } from '../../../db/tables/studio.ts';
import { findFont, withoutEmoji } from '../../../media/fonts.ts';

const WHITE = '#ffffff';

/**
 * Writes the titles into files of `folder`, so that no text can be a filter, and returns the filters that
 * draw them. A title that no font can draw is left out.
 */
export async function drawTitles(
  folder: string,
  titles: readonly StudioTitle[],
  signal?: AbortSignal,
): Promise<string[]> {
  const filters: string[] = [];
  for (const title of titles) {
    const text = withoutEmoji(title.text);
    const font = text === '' ? undefined : await findFont(text, signal);
    if (!font) continue;
    // Segments that are drawn in the same folder do not overwrite those of others.
    const name = `${toHex(sha256(text))}.txt`;
    await Bun.write(join(folder, name), text);
    const { x, y, size, color = WHITE } = title;
    filters.push(
      `drawtext=fontfile=${font}:textfile=${name}:expansion=none:fontcolor=0x${color.slice(1)}:` +
        `fontsize=h*${size}:x=w*${x}-text_w/2:y=h*${y}-text_h/2`,
    );
  }
  return filters;
}
