import { join } from 'node:path';
import type { DataPaths } from '../../../core/paths.ts';

/** Folders below that of the studio: what is remembered of videos, by the hash of the file. */
export const REMEMBERED = ['video-indexes', 'overviews'] as const;

export const getRememberedPath = (
  { studio }: Pick<DataPaths, 'studio'>,
  folder: (typeof REMEMBERED)[number],
  { sha256, extension }: { readonly sha256: string; readonly extension: 'json' | 'jpg' },
): string => join(studio, folder, sha256.slice(0, 2), `${sha256}.${extension}`);
