import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataPaths } from '../../../core/paths.ts';
import { getFrameName } from '../render/frame.ts';
import type { StudioRenderRow } from '../../../db/tables/studio.ts';

const getFolders = (paths: DataPaths): string => join(paths.studio, 'frames');

/** The folder of a renderer: its frame, and what it needs meanwhile. */
export const getRenderFolder = (paths: DataPaths, renderId: string): string =>
  join(getFolders(paths), renderId);

export const getFramePath = (
  paths: DataPaths,
  { id, quality }: Pick<StudioRenderRow, 'id' | 'quality'>,
): string => join(getRenderFolder(paths, id), getFrameName(quality));

export const removeRenderFolder = (paths: DataPaths, renderId: string): Promise<void> =>
  rm(getRenderFolder(paths, renderId), { recursive: true, force: true, maxRetries: 3 });

/** Returns the renders that have a folder. */
export const listRenderFolders = (paths: DataPaths): Promise<string[]> =>
  readdir(getFolders(paths)).catch(() => []);
