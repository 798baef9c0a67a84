import type { DataPaths } from '../../../core/paths.ts';
import { writeJson } from '../../../core/json-file.ts';
import { getRememberedPath } from '../render/remembered.ts';
import type { StudioSource } from './schemas.ts';

/** How a video looks and sounds on a timeline. */
export type Overview = Pick<StudioSource, 'strip' | 'waveform'>;

type Paths = Pick<DataPaths, 'studio'>;

const getOverviewPath = (paths: Paths, sha256: string): string =>
  getRememberedPath(paths, 'overviews', { sha256, extension: 'json' });

export const getStripPath = (paths: Paths, sha256: string): string =>
  getRememberedPath(paths, 'overviews', { sha256, extension: 'jpg' });

/** Returns the overview of a file, if it is there. */
export async function readOverview(paths: Paths, sha256: string): Promise<Overview | undefined> {
  const file = Bun.file(getOverviewPath(paths, sha256));
  return (await file.exists()) ? file.json() : undefined;
}

/** Keeps an overview; its strip is there already. */
export const writeOverview = (paths: Paths, sha256: string, overview: Overview): Promise<void> =>
  writeJson(getOverviewPath(paths, sha256), overview);
