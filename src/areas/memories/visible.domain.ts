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

export type MemoryCard = {
  readonly title: string;
  /** Assets that the memory shows. */
  readonly count: number;
  readonly coverAssetId: string | null;
};

/** Returns the cards of those of `ids` that are memories of the caller with a title to show. */
export async function getMemoryCards(
  { db, session, now }: Ctx,
  ids: readonly string[],
  language: Language,
): Promise<Map<string, MemoryCard>> {
  if (ids.length === 0) return new Map();
  const rows = await store.findMemories({ db, session: requireUser(session) }, ids);
  return new Map(
    rows.flatMap((row) => {
      const title = row.name ?? getTitle(row, { language, now: now() })?.title;
      if (title === undefined) return [];
      const [coverAssetId = null, ...others] = listAssetIds(row);
      const count = coverAssetId === null ? 0 : others.length + 1;
      return [[row.id, { title, count, coverAssetId }] as const];
    }),
  );
}
