import { basename, dirname } from 'node:path';
import type { Deps } from '../../../core/context.ts';
import { toHex } from '../../../core/hash.ts';
import { getFirst } from '../../../core/required.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { isSidecar } from '../../../media/formats.ts';
import { readMetadata, supplementAsset } from '../../assets/index.ts';
import type { Facts } from '../../imports/index.ts';
import { type LocalCopy, publishSidecar, storeSidecar } from '../../uploads/index.ts';
import { lockLibrary } from '../store.ts';
import { type CompanionFinder, copySidecar } from './companions.ts';
import * as store from './intake.store.ts';
import { FileRefusedError, type ReadFile, readExternalFile } from './read-file.ts';

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
  readonly sidecars: readonly { readonly assetId: string; readonly sidecar: LocalCopy }[];
};

/**
 * Reads sidecar files that are new or have changed, for the items that are there. Files that are taken in
 * later are read with theirs. When a sidecar is gone, its items keep what it has told.
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
    for (const { sidecars } of changes) {
      for (const { sidecar } of sidecars) await sidecar.file.discard();
    }
  }
}

async function findChanges(
  deps: Deps,
  libraryId: string,
  { path }: store.UnreadFile,
  findCompanions: CompanionFinder,
): Promise<Pick<Change, 'supplements' | 'sidecars'>> {
  const place = { folder: dirname(path), prefix: getFirst(basename(path).split('.')) };
  const supplements: { assetId: string; facts: Facts }[] = [];
  const sidecars: { assetId: string; sidecar: LocalCopy }[] = [];
  for (const item of await store.listItemsByPrefix(deps.db, libraryId, place)) {
    const { assetId } = item;
    const { facts, sidecarPath } = await findCompanions(item.path);
    if (!isSidecar(path)) supplements.push({ assetId, facts });
    else if (sidecarPath === path) {
      const sidecar = await copySidecar(deps, path);
      if (sidecar && toSidecarTag(sidecar) !== item.sidecarTag) {
        sidecars.push({ assetId, sidecar: await storeSidecar(deps, assetId, sidecar) });
      } else await sidecar?.file.discard();
    }
  }
  return { supplements, sidecars };
}

/** As publishSidecar writes it. */
const toSidecarTag = ({ digests }: LocalCopy): string => toHex(digests.sha256).slice(0, 16);

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
    await store.saveSidecarsRead(db, libraryId, contents);
    for (const { supplements, sidecars } of unchanged) {
      for (const { assetId, facts } of supplements) {
        await supplementAsset(db, assetId, facts, { replaces: true });
      }
      for (const { assetId } of sidecars) await enqueue(db, readMetadata, { assetId });
    }
    for (const { sidecars } of unchanged) {
      for (const { assetId, sidecar } of sidecars) await publishSidecar(deps, assetId, { sidecar });
    }
  });
}
