import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const COMPILERS = { 'linux-x64': 'x86_64-linux-gnu-gcc', 'linux-arm64': 'aarch64-linux-gnu-gcc' };

/**
 * Compiles native/NAME.c for both architectures into native/NAME.TARGET, with the SHA-256 of the source
 * as SOURCE_DIGEST. The results are kept in the repository: they are small, the same compiler makes the
 * same bytes, and a machine without one can build Safelight. Needs gcc and gcc-aarch64-linux-gnu
 * (Debian 12). Throws when a compiler fails.
 */
export function compileForAll(name: string, flags: readonly string[], extension = ''): void {
  const source = join(import.meta.dir, `${name}.c`);
  const digest = createHash('sha256').update(readFileSync(source)).digest('hex');
  for (const [target, compiler] of Object.entries(COMPILERS)) {
    const out = join(import.meta.dir, `${name}.${target}${extension}`);
    const define = `-DSOURCE_DIGEST="${digest}"`;
    const { exitCode } = Bun.spawnSync([compiler, ...flags, define, '-o', out, source, '-lgcc'], {
      stdout: 'inherit',
      stderr: 'inherit',
    });
    if (exitCode !== 0) throw new Error(`${compiler} failed`);
    console.log(`${out}, ${statSync(out).size} bytes`);
  }
}
