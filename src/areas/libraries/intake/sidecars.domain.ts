import { basename, dirname } from 'node:path';
import type { Deps } from '../../../core/context.ts';
import { getFirst } from '../../../core/required.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { isSidecar } from '../../../media/formats.ts';
import { supplementAsset } from '../../assets/index.ts';
import type { Facts } from '../../imports/index.ts';
import { lockLibrary } from '../store.ts';
import type { CompanionFinder } from './companions.ts';
import * as store from './intake.store.ts';
import { FileRefusedError, type ReadFile, readExternalFile } from './read-file.ts';
import {
  discardChanges,
  findSidecarChange,
  saveSidecarChanges,
  type SidecarChange,
} from './sidecar-change.ts';
import * as sidecarStore from './sidecars.store.ts';

type Batch = {
  readonly files: readonly store.UnreadFile[];
  readonly findCompanions: CompanionFinder;
  readonly signal: AbortSignal;
};

/** A sidecar file, and the items that it changes. */
type Change = {
  readonly file: store.UnreadFile;
  readonly read: ReadFile;
  readonly supplements: readonly { readonly assetId: string; readonly facts: Facts }[];
  readonly sidecars: readonly SidecarChange[];
};

/**
 * Reads sidecar files that are new or have changed, for the items that are there. Files that are taken in
 * later are read with theirs.
 */
export async function takeInSidecars(
  deps: Deps,
  libraryId: string,
  { files, findCompanions, signal }: Batch,
): Promise<void> {
  if (files.length === 0) return;
  const changes: Change[] = [];
  try {
    for (const file of files) {
      try {
        const read = await readExternalFile(file.path, signal);
        changes.push({ file, read, ...(await findChanges(deps, libraryId, file, findCompanions)) });
      } catch (error) {
        if (!(error instanceof FileRefusedError)) throw error;
        await store.setError(deps.db, [file.id], error.message);
      }
    }
    await save(deps, libraryId, changes);
  } finally {
    for (const { sidecars } of changes) await discardChanges(sidecars);
  }
}

/** Returns the items that a sidecar may be about. */
export const listSubjects = ({ db }: Pick<Deps, 'db'>, libraryId: string, path: string) =>
  sidecarStore.listItemsByPrefix(db, libraryId, {
    folder: dirname(path),
    prefix: getFirst(basename(path).split('.')),
  });

async function findChanges(
  deps: Deps,
  libraryId: string,
  { path }: store.UnreadFile,
  findCompanions: CompanionFinder,
): Promise<Pick<Change, 'supplements' | 'sidecars'>> {
  const supplements: { assetId: string; facts: Facts }[] = [];
  const sidecars: SidecarChange[] = [];
  for (const item of await listSubjects(deps, libraryId, path)) {
    const { assetId } = item;
    const companions = await findCompanions(item.path);
    if (!isSidecar(path)) supplements.push({ assetId, facts: companions.facts });
    else if (companions.sidecarPath === path) {
      const change = await findSidecarChange(deps, item, companions);
      if (change) sidecars.push(change);
    }
  }
  return { supplements, sidecars };
}

/** Leaves out files that have changed meanwhile: they are read again. */
async function save(deps: Deps, libraryId: string, changes: readonly Change[]): Promise<void> {
  await inTransaction(deps, async (deps) => {
    const { db } = deps;
    if (!(await lockLibrary(db, libraryId))) return;
    const ids = changes.map(({ file }) => file.id);
    const locked = await store.lockUnread(db, libraryId, ids);
    const unchanged = changes.filter(({ file, read }) => {
      const now = locked.get(file.id);
      return now?.modifiedUs === file.modifiedUs && now.size === read.size;
    });
    const contents = unchanged.map(({ file: { path }, read }) => ({ ...read, path }));
    await sidecarStore.saveSidecarsRead(db, libraryId, contents);
    for (const { assetId, facts } of unchanged.flatMap(({ supplements }) => supplements)) {
      await supplementAsset(db, assetId, facts, { replaces: true });
    }
    await saveSidecarChanges(
      deps,
      unchanged.flatMap(({ sidecars }) => sidecars),
    );
  });
}
