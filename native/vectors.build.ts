// bun native/vectors.build.ts
// Compiles vectors.c for both architectures. The results are kept in the repository: they are small,
// the same compiler makes the same bytes, and a machine without one can build Safelight. Needs
// gcc and, for the other architecture, gcc-aarch64-linux-gnu (Debian 12).
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const SOURCE = join(import.meta.dir, 'vectors.c');
const COMPILERS = { 'linux-x64': 'x86_64-linux-gnu-gcc', 'linux-arm64': 'aarch64-linux-gnu-gcc' };

const FLAGS = [
  '-std=c11',
  '-O3',
  '-Wall',
  '-Wextra',
  '-Werror',
  '-fPIC',
  '-shared',
  // No C library: not even its memset, which loops would become.
  '-nostdlib',
  '-ffreestanding',
  '-fno-builtin',
  '-fno-tree-loop-distribute-patterns',
  '-fvisibility=hidden',
  '-fno-asynchronous-unwind-tables',
  '-Wl,--build-id=none',
  '-Wl,-s',
];

const digest = createHash('sha256').update(readFileSync(SOURCE)).digest('hex');
for (const [target, compiler] of Object.entries(COMPILERS)) {
  const out = join(import.meta.dir, `vectors.${target}.so`);
  const define = `-DSOURCE_DIGEST="${digest}"`;
  const { exitCode } = Bun.spawnSync([compiler, ...FLAGS, define, '-o', out, SOURCE, '-lgcc'], {
    stdout: 'inherit',
    stderr: 'inherit',
  });
  if (exitCode !== 0) throw new Error(`${compiler} failed`);
  console.log(`${out}, ${statSync(out).size} bytes`);
}
