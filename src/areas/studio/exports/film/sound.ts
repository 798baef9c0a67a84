import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { ZERO } from '../../../../core/rational.ts';
import { openMix, type SoundWork } from '../../sound/parts.ts';

const FILE = 'sound.pcm';
const NICE = 15;

/**
 * Writes the mix of all sounds of a film as raw samples, as long as its pictures, and returns the name of the file;
 * undefined: none of its items has any. Throws MediaError.
 */
export async function writeSound({
  folder,
  ...work
}: Omit<SoundWork, 'nice'> & { readonly folder: string }): Promise<string | undefined> {
  const mix = await openMix({ ...work, nice: NICE }, ZERO);
  if (!mix) return undefined;
  const file = await open(join(folder, FILE), 'w', 0o600);
  try {
    for await (const { buffer } of mix.windows) await file.writeFile(new Uint8Array(buffer));
  } finally {
    await file.close();
  }
  return FILE;
}
