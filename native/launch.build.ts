// bun native/launch.build.ts
// Compiles launch.c for both architectures, as vectors.build.ts does its library: the results are
// kept in the repository. Needs gcc and gcc-aarch64-linux-gnu (Debian 12).
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const SOURCE = join(import.meta.dir, 'launch.c');
const COMPILERS = { 'linux-x64': 'x86_64-linux-gnu-gcc', 'linux-arm64': 'aarch64-linux-gnu-gcc' };

const FLAGS = [
  '-std=gnu11',
  '-Os',
  '-Wall',
  '-Wextra',
  '-Werror',
  '-static',
  '-no-pie',
  '-fno-pie',
  // No C library: not even its memset, which loops would become.
  '-nostdlib',
  '-ffreestanding',
  '-fno-builtin',
  '-fno-tree-loop-distribute-patterns',
  '-fno-stack-protector',
  '-fno-asynchronous-unwind-tables',
  '-Wl,--build-id=none',
  '-Wl,-z,noseparate-code',
  '-Wl,-z,noexecstack',
  '-Wl,-s',
];

const digest = createHash('sha256').update(readFileSync(SOURCE)).digest('hex');
for (const [target, compiler] of Object.entries(COMPILERS)) {
  const out = join(import.meta.dir, `launch.${target}`);
  const define = `-DSOURCE_DIGEST="${digest}"`;
  const { exitCode } = Bun.spawnSync([compiler, ...FLAGS, define, '-o', out, SOURCE, '-lgcc'], {
    stdout: 'inherit',
    stderr: 'inherit',
  });
  if (exitCode !== 0) throw new Error(`${compiler} failed`);
  console.log(`${out}, ${statSync(out).size} bytes`);
}
