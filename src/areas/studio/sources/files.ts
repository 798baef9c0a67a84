import { mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DataPaths } from '../../../core/paths.ts';
import type { StudioSource } from './schemas.ts';

/** How a video looks and sounds on a timeline. */
export type Overview = Pick<StudioSource, 'strip' | 'waveform'>;

type Paths = Pick<DataPaths, 'studio'>;

const getPath = ({ studio }: Paths, sha256: string, extension: string): string =>
  join(studio, 'overviews', sha256.slice(0, 2), `${sha256}.${extension}`);

export const getStripPath = (paths: Paths, sha256: string): string => getPath(paths, sha256, 'jpg');

/** Returns the overview of a file, if it is there. */
export async function readOverview(paths: Paths, sha256: string): Promise<Overview | undefined> {
  const file = Bun.file(getPath(paths, sha256, 'json'));
  return (await file.exists()) ? file.json() : undefined;
}

/** Keeps an overview; its strip is there already. */
export async function writeOverview(
  paths: Paths,
  sha256: string,
  overview: Overview,
): Promise<void> {
  const path = getPath(paths, sha256, 'json');
  await mkdir(dirname(path), { recursive: true });
  const part = `${path}.${Bun.randomUUIDv7()}`;
  await Bun.write(part, JSON.stringify(overview));
  await rename(part, path);
}
