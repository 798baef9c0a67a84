import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import * as store from './store.ts';
import type { Language } from '../../core/languages.ts';
import { getTitle, listAssetIds } from './view.ts';

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
