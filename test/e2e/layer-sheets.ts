import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { SIZES } from './faults.ts';

const COLUMNS = 4;
/** On one sheet, so that details can still be seen. */
const ROWS = 4;
const SHEET_WIDTH = 1920;
const GAP = 8;

/** Writes sheets of all pictures of a size into their folder, to be looked at. */
export async function writeSheets(folder: string): Promise<void> {
  for (const { width, height } of SIZES) {
    const size = `${width}x${height}`;
    const names = (await readdir(folder)).filter((name) => name.startsWith(size)).sort();
    for (let from = 0; from < names.length; from += COLUMNS * ROWS) {
      const shown = names.slice(from, from + COLUMNS * ROWS);
      const cell = {
        width: SHEET_WIDTH / COLUMNS,
        height: (SHEET_WIDTH / COLUMNS) * (height / width),
      };
      const rows = Math.ceil(shown.length / COLUMNS);
      const pictures = await Promise.all(
        shown.map(async (name, at) => ({
          input: await sharp(join(folder, name))
            .resize(cell.width - GAP)
            .png()
            .toBuffer(),
          left: (at % COLUMNS) * cell.width,
          top: Math.round(Math.floor(at / COLUMNS) * cell.height),
        })),
      );
      const sheet = {
        width: SHEET_WIDTH,
        height: Math.ceil(rows * cell.height),
        channels: 3,
      } as const;
      await sharp({ create: { ...sheet, background: '#088' } })
        .composite(pictures)
        .toFile(join(folder, `sheet ${size} ${from / (COLUMNS * ROWS) + 1}.png`));
    }
  }
}
