import { tmpdir } from 'node:os';
import type { FileAccess } from '../../src/core/launch.ts';

/** Access for tools in tests: reads everything, writes and runs temporary files. */
export const FULL_FILE_ACCESS: FileAccess = { read: ['/'], write: [tmpdir()], run: [tmpdir()] };

const media = process.env['SAFELIGHT_TEST_MEDIA'];

/** Access for the tools that all tests of a process share: as in a server, to folders of files only. */
export const SHARED_FILE_ACCESS = {
  read: [tmpdir(), ...(media === undefined ? [] : [media])],
  write: [tmpdir()],
};
