import { tmpdir } from 'node:os';
import type { FileAccess } from '../../src/core/launch.ts';

/** Access for tools in tests: reads everything, writes and runs temporary files. */
export const FULL_FILE_ACCESS: FileAccess = { read: ['/'], write: [tmpdir()], run: [tmpdir()] };
