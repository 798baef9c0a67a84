import { lockOwned, ownedAmong } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { noAccess } from '../../../core/errors.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { UNEDITED } from '../../../media/picture-edits.ts';
import { changePicture } from './change.domain.ts';
import { getEditableSize, requireInside, toValidEdits } from './editable.ts';
import type { AssetEdits, EditsCreate } from './edits.schemas.ts';
import * as store from './edits.store.ts';
import * as storage from '../../../storage/index.ts';

export async function getEdits({ db, session }: Ctx, id: string): Promise<AssetEdits> {
  if ((await ownedAmong(db, session, [id])).size === 0) throw noAccess('asset.edit.get');
  return toEdits(id, await store.listEdits(db, id));
}

/**
 * Replaces the edits of an image, keeps its adjustments, and enqueues the rendering. Throws 400 for edits that do
 * not apply.
 */
export async function editAsset(ctx: Ctx, id: string, { edits }: EditsCreate): Promise<AssetEdits> {
  const steps = toValidEdits(edits);
  return inTransaction(ctx, async ({ db, session, now }) => {
    if ((await lockOwned(db, session, [id])).size === 0) throw noAccess('asset.edit.create');
    const subject = await store.findEditable(db, id);
    if (!subject) throw noAccess('asset.edit.create');
    const source = getEditableSize(subject);
    requireInside(steps, source);
    const from = await store.findPictureEdits(db, id);
    const to = { edits: steps, adjustments: from.adjustments };
    await changePicture(db, id, { source, from, to }, now());
    return toEdits(id, await store.listEdits(db, id));
  });
}

/**
 * Restores the unedited picture at once, without a job. Adjustments go too: clients that do not know them ask for
 * the picture as it was taken.
 */
export async function removeEdits(ctx: Ctx, id: string): Promise<void> {
  const names = await inTransaction(ctx, async ({ db, session, now }) => {
    if ((await lockOwned(db, session, [id])).size === 0) throw noAccess('asset.edit.delete');
    const source = await store.findUneditedSize(db, id);
    if (!source) return [];
    const from = await store.findPictureEdits(db, id);
    return changePicture(db, id, { source, from, to: UNEDITED }, now());
  });
  await storage.remove(storage.derivedFiles(ctx.paths, names));
}

const toEdits = (assetId: string, rows: readonly store.EditRow[]): AssetEdits => ({
  assetId: assetId.toLowerCase(),
  edits: rows.map(({ id, action, parameters }) => ({ id, action, parameters })),
});
