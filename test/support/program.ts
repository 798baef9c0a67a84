import { join } from 'node:path';

const ROOT = join(import.meta.dir, '../..');

/**
 * Returns the command line of the program under test: the binary that SAFELIGHT_TEST_BINARY names (`make test` does),
 * which starts five times as fast, otherwise the sources.
 */
export function getProgram(): readonly string[] {
  const binary = process.env['SAFELIGHT_TEST_BINARY'];
  return binary ? [binary] : [process.execPath, join(ROOT, 'src/main.ts')];
}
