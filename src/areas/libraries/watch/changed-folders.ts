import { isInside } from '../import-path.ts';

/** A folder in which something has changed; with `isDeep`, also in those below it. */
export type ChangedFolder = { readonly path: string; readonly isDeep: boolean };

type Times = { readonly isDeep: boolean; readonly firstMs: number; readonly lastMs: number };

export type ChangedFolders = {
  add(path: string, isDeep: boolean, nowMs: number): void;
  /** Removes and returns folders that have been quiet, or have waited for long enough. */
  take(nowMs: number): ChangedFolder[];
};

export type Debounce = {
  /** Milliseconds without a change after which a folder is taken. */
  readonly quietMs: number;
  /** Milliseconds after which a folder is taken that never is quiet. */
  readonly maxWaitMs: number;
};

/** More changed folders are one change of the root. */
const MAX_FOLDERS = 1_000;

export function createChangedFolders(
  root: string,
  { quietMs, maxWaitMs }: Debounce,
): ChangedFolders {
  const changed = new Map<string, Times>();
  return {
    add(path, isDeep, nowMs) {
      if (changed.size >= MAX_FOLDERS && !changed.has(path)) {
        changed.clear();
        [path, isDeep] = [root, true];
      }
      const known = changed.get(path);
      changed.set(path, {
        isDeep: isDeep || (known?.isDeep ?? false),
        firstMs: known?.firstMs ?? nowMs,
        lastMs: nowMs,
      });
    },
    take(nowMs) {
      const due = [...changed]
        .filter(
          ([, { firstMs, lastMs }]) => nowMs - lastMs >= quietMs || nowMs - firstMs >= maxWaitMs,
        )
        .map(([path, { isDeep }]) => ({ path, isDeep }));
      for (const { path } of due) changed.delete(path);
      const deep = due.filter(({ isDeep }) => isDeep);
      return due.filter(
        ({ path }) => !deep.some((one) => one.path !== path && isInside(one.path, path)),
      );
    },
  };
}
