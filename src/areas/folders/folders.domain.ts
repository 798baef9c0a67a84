import type { Ctx } from '../../core/context.ts';
import { type Asset, findAssetsById } from '../assets/index.ts';
import * as store from './folders.store.ts';

/** Returns the folders of the own Timeline: those of external libraries, and `/2024/05` for uploads. */
export const listFolders = ({ db, session }: Ctx): Promise<string[]> =>
  store.listFolders(db, session);

/** Returns how many items each folder has, without those below it. */
export const countFolderItems = ({ db, session }: Ctx): Promise<store.FolderCount[]> =>
  store.countItems(db, session);

/** Returns the items in a folder, not in those below it, by file name. */
export async function listFolderItems(ctx: Ctx, path: string): Promise<Asset[]> {
  const ids = await store.listItems(ctx.db, ctx.session, path.replace(/(?<=.)\/+$/, ''));
  const items = await findAssetsById(ctx, ids);
  return ids.flatMap((id) => items.get(id) ?? []);
}
