import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { type Asset, findAssetsById, listFolderCounts } from '../assets/index.ts';
import * as store from './folders.store.ts';

/** Returns the folders of the own Timeline: those of external libraries, and `/2024/05` for uploads. */
export const listFolders = async (ctx: Ctx): Promise<string[]> =>
  (await countFolderItems(ctx)).map(({ path }) => path);

/** Returns how many items each folder has, without those below it, by path. */
export async function countFolderItems(ctx: Ctx): Promise<store.FolderCount[]> {
  const session = requireUser(ctx.session);
  const counts = await listFolderCounts(ctx, session.userId);
  const suppressed =
    session.contentRules.length > 0 ? await store.countSuppressed(ctx.db, session) : [];
  const left = new Map(suppressed.map(({ path, count }) => [path, count]));
  return counts
    .map(({ path, count }) => ({ path, count: count - (left.get(path) ?? 0) }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Returns the items in a folder, not in those below it, by file name. */
export async function listFolderItems(ctx: Ctx, path: string): Promise<Asset[]> {
  const ids = await store.listItems(ctx.db, ctx.session, path.replace(/(?<=.)\/+$/, ''));
  const items = await findAssetsById(ctx, ids);
  return ids.flatMap((id) => items.get(id) ?? []);
}
