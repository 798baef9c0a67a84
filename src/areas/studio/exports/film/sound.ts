import { open, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { toRational, toSeconds, ZERO } from '../../../../core/rational.ts';
import type { StudioDocument } from '../../../../db/tables/studio.ts';
import { CHANNELS, SAMPLE_RATE } from '../../../../media/film-encoding.ts';
import { countFrames } from '../../render/layers.ts';
import { openMix, type SoundWork } from '../../sound/parts.ts';

const FILE = 'sound.pcm';
const NICE = 15;

/**
 * Writes the mix of all sounds of a film as raw samples, as long as its pictures, and returns the name of the file;
 * undefined: none of its items has any, and `silence` is not to be written in its place. Throws MediaError.
 */
export async function writeSound({
  folder,
  silence,
  ...work
}: Omit<SoundWork, 'nice'> & {
  readonly folder: string;
  readonly silence: boolean;
}): Promise<string | undefined> {
  const mix = await openMix({ ...work, nice: NICE }, ZERO);
  if (!mix && silence) await writeSilence(join(folder, FILE), work.film.document);
  if (!mix) return silence ? FILE : undefined;
  const file = await open(join(folder, FILE), 'w', 0o600);
  try {
    for await (const { buffer } of mix.windows) await file.writeFile(new Uint8Array(buffer));
  } finally {
    await file.close();
  }
  return FILE;
}

/** Writes samples that are 0. The file takes no space. */
async function writeSilence(path: string, document: StudioDocument): Promise<void> {
  const seconds = countFrames(document) / toSeconds(toRational(document.frameRate));
  await Bun.write(path, '');
  await truncate(path, Math.round(seconds * SAMPLE_RATE) * CHANNELS * 2);
}
