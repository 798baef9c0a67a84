// bun native/launch.build.ts
import { compileForAll } from './compile.ts';

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

compileForAll('launch', FLAGS);
