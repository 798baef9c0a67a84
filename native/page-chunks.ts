import { join, relative, resolve } from 'node:path';
import type { BunPlugin } from 'bun';
import { readSources, WEB } from './messages.ts';

// Modules that are opened together are one chunk: what two chunks share is another, and with a chunk for each page
// the first visit asked for 55 of a few hundred bytes each.

const CHUNKS: readonly (readonly [name: string, modules: RegExp])[] = [
  ['administration', /^pages\/(?:admin|setup)\//],
  ['session', /^pages\/session\//],
  ['studio', /^pages\/studio\//],
  // Loaded apart: big, or needed alone.
  [
    '',
    /^pages\/(?:guest|help|map)\/|\/(?:edit-dialog|mini-map|viewer|slideshow|selection-bar)\.tsx$/,
  ],
  ['', /^parts\/uploads\/panel\.tsx$/],
  ['library', /^(?:pages|parts)\/|^shell\/shared-files-dialog\.tsx$|^ui\/key-list\.tsx$/],
];

/** Returns the name of the chunk that a module belongs to, by its path within `src/web`; '' for one of its own. */
const getChunk = (module: string): string =>
  CHUNKS.find(([, modules]) => modules.test(module))?.[0] ?? '';

/** Puts modules that the page imports lazily into the chunks above. */
export const groupLazyModules: BunPlugin = {
  name: 'group-lazy-modules',
  setup(builder) {
    const namespace = 'page-chunk';
    const lazyModules = [...listLazyModules()];
    // Our files alone: of packages that a plugin sees, Bun 1.4.4 bundles what nobody uses, too.
    builder.onResolve({ filter: /^\.\.?\/.*\.tsx?$/ }, ({ path, kind, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined;
      const chunk = getChunk(relative(WEB, resolve(resolveDir, path)));
      return chunk === '' ? undefined : { path: chunk, namespace };
    });
    builder.onLoad({ filter: /./, namespace }, ({ path: chunk }) => ({
      loader: 'ts',
      contents: lazyModules
        .filter(([module]) => getChunk(module) === chunk)
        .map(
          ([module, names]) =>
            `export { ${[...names].join()} } from ${JSON.stringify(join(WEB, module))};`,
        )
        .join('\n'),
    }));
  },
};

const LAZY_IMPORT =
  /\bimport\(\s*'(\.[^']+)'\s*,?\s*\)(?:\s*\.then\(\s*\(module\) => module\.(\w+))?/g;

/**
 * Returns the names that the page imports lazily, by the path of their module within `src/web`. Throws where a module of
 * a shared chunk is not used as `import('./x.tsx').then((module) => module.X)`.
 */
function listLazyModules(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [path, text] of readSources()) {
    for (const [, target = '', name] of text.matchAll(LAZY_IMPORT)) {
      const module = join(path, '..', target);
      const names = found.get(module) ?? new Set();
      found.set(module, names);
      if (name) names.add(name);
      else if (getChunk(module)) throw new Error(`${path}: name what is used of ${target}`);
    }
  }
  return found;
}
