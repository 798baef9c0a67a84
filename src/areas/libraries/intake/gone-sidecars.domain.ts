import type { Deps } from '../../../core/context.ts';
import { isUnreadable } from '../../../core/disk-errors.ts';
import type { LibraryRow } from '../../../db/tables/libraries.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { runThrottled } from '../../../jobs/throttle.ts';
import { isSidecar } from '../../../media/formats.ts';
import type { ScanCtx } from '../scan/record.domain.ts';
import { findExclusions, lockLibrary } from '../store.ts';
import { type CompanionFinder, createCompanionFinder } from './companions.ts';
import {
  discardChanges,
  findSidecarChange,
  saveSidecarChanges,
  type SidecarChange,
} from './sidecar-change.ts';
import { listSubjects } from './sidecars.domain.ts';
import * as store from './sidecars.store.ts';

const PAGE_SIZE = 100;

/**
 * Takes from items what XMP files have told that are gone: the last scan of the library, or of one of its folders, did
 * not find them, and their photos are there.
 */
export async function takeOutSidecars(
  ctx: ScanCtx,
  { id: libraryId, exclusionPatterns }: LibraryRow,
  folder?: { readonly path: string; readonly isDeep: boolean },
): Promise<void> {
  let after = 0;
  await runThrottled(ctx, async () => {
    const part = { after, limit: PAGE_SIZE, folder };
    const page = await store.listUnseenSidecars(ctx.db, libraryId, part);
    after = page.at(-1)?.id ?? after;
    const findCompanions = createCompanionFinder(exclusionPatterns);
    for (const { id, path } of page) {
      const items = await listSubjects(ctx, libraryId, path);
      // A disk that is away has taken both.
      if (items.some(({ state }) => state === 'unseen')) continue;
      const there = isSidecar(path) ? items.filter(({ state }) => state === 'there') : [];
      const changes = await findChanges(ctx, there, findCompanions);
      if (!changes) continue;
      await save(ctx, libraryId, changes, ({ db }) => store.deleteUnseenSidecar(db, id));
    }
    return page.length === PAGE_SIZE;
  });
}

/** Reads items again with the XMP files that lie beside them now, whatever the last scan has found. */
export async function refreshSidecars(
  deps: Deps,
  libraryId: string,
  assetIds: readonly string[],
): Promise<void> {
  const exclusions = await findExclusions(deps.db, libraryId);
  if (!exclusions) return;
  const items = await store.listItemsById(deps.db, libraryId, assetIds);
  const findCompanions = createCompanionFinder(exclusions);
  for (const item of items) {
    const changes = await findChanges(deps, [item], findCompanions);
    if (changes) await save(deps, libraryId, changes, () => Promise.resolve(true));
  }
}

/** Undefined: it cannot be told. */
async function findChanges(
  deps: Deps,
  items: readonly store.SidecarSubject[],
  findCompanions: CompanionFinder,
): Promise<SidecarChange[] | undefined> {
  const changes: SidecarChange[] = [];
  try {
    for (const item of items) {
      const change = await findSidecarChange(deps, item, await findCompanions(item.path));
      if (change) changes.push(change);
    }
    return changes;
  } catch (error) {
    await discardChanges(changes);
    // The folder cannot be seen for now.
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}

async function save(
  deps: Deps,
  libraryId: string,
  changes: readonly SidecarChange[],
  isStillSo: (deps: Deps) => Promise<boolean>,
): Promise<void> {
  try {
    await inTransaction(deps, async (deps) => {
      if (!(await lockLibrary(deps.db, libraryId))) return;
      if (await isStillSo(deps)) await saveSidecarChanges(deps, changes);
    });
  } finally {
    await discardChanges(changes);
  }
}
