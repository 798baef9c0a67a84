// bun native/vectors.build.ts
import { compileForAll } from './compile.ts';

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

compileForAll('vectors', FLAGS, '.so');
