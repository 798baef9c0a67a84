import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import * as store from './store.ts';
import type { Language } from '../../core/languages.ts';
import type { Title } from './titles/index.ts';
import { getTitle, listAssetIds } from './view.ts';

/** A memory for work on it, as exports are. */
export type OwnMemory = {
  readonly id: string;
  readonly ownerId: string;
  /** Given by the owner or generated; empty for a memory without either. */
  readonly title: string;
  /** Generated line below the title. */
  readonly subtitle: string;
  readonly description: string | null;
  readonly memoryAt: string;
  /** In order; those that the memory may show now. */
  readonly assetIds: readonly string[];
};

/** Returns a memory of the caller that is not deleted, hidden or not; undefined if there is none. */
export async function findOwnMemory(
  { db, session, now }: Ctx,
  id: string,
  language: Language,
): Promise<OwnMemory | undefined> {
  const [row] = await store.findMemories({ db, session: requireUser(session) }, [id]);
  if (!row) return undefined;
  const generated: Title | undefined = getTitle(row, { language, now: now() });
  return {
    id: row.id,
    ownerId: row.ownerId,
    title: row.name ?? generated?.title ?? '',
    subtitle: generated?.subtitle ?? '',
    description: row.description,
    memoryAt: row.memoryAt,
    assetIds: listAssetIds(row),
  };
}

/**
 * Returns the ids of the assets that a memory of the caller may show now, in order: never Locked, trashed
 * or archived ones, nor those that content rules or show-less rules leave out. Empty for any other memory.
 */
export async function listVisibleMemoryAssets(
  { db, session }: Ctx,
  memoryId: string,
): Promise<readonly string[]> {
  const [row] = await store.findMemories({ db, session: requireUser(session) }, [memoryId]);
  return row ? listAssetIds(row) : [];
}
