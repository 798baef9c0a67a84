import { join } from 'node:path';
import type { DataPaths } from '../core/paths.ts';

/** Returns the folder for intermediate files, on the file system of derived files: a rename puts one in its place. */
export const getScratchFolder = (paths: DataPaths): string => join(paths.derived, 'scratch');
