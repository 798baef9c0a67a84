import { tmpdir } from 'node:os';
import type { FileAccess } from '../../src/core/launch.ts';

/** For tools that tests open on fixtures: everything may be read, and temporary files be written and run. */
export const ANY_FILE: FileAccess = { read: ['/'], write: [tmpdir()], run: [tmpdir()] };
