import type { Db } from '../../../db/client.ts';
import { analyzeAsset } from '../../../inference/jobs.ts';
import { enqueue, enqueueMany } from '../../../jobs/queue.ts';
import { isUnadjusted } from '../../../media/adjustments.ts';
import { type EditTransition, isSameGeometry, UNEDITED } from '../../../media/picture-edits.ts';
import { renderEdits, renderPerson } from '../jobs.ts';
import { replaceAdjustments } from './adjustments.store.ts';
import * as store from './edits.store.ts';
import { deleteAnalysis, listPeopleWithThumbnailOn, moveRegions } from './regions.store.ts';
import { lockOwned, ownedAmong } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { noAccess } from '../../../core/errors.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { getEditableSize, requireInside, toValidEdits } from './editable.ts';
import type { AssetEdits, EditsCreate } from './edits.schemas.ts';
import * as storage from '../../../storage/index.ts';

/**
 * Replaces all that is done to a picture, whose asset the caller has locked, and enqueues the rendering. Without
 * edits and adjustments the unedited picture is back at once, without a job. Returns the names of files that nothing
 * refers to any more: delete them after the commit.
 */
export async function changePicture(
  db: Db,
  assetId: string,
  transition: EditTransition,
  now: Date,
): Promise<string[]> {
  const { edits, adjustments } = transition.to;
  if (edits.length === 0 && isUnadjusted(adjustments)) {
    return restoreOriginal(db, assetId, transition, now);
  }
  await store.saveUneditedState(db, assetId);
  await store.replaceEdits(db, assetId, edits, now);
  await replaceAdjustments(db, assetId, adjustments);
  if (!isSameGeometry(transition.from, transition.to)) await moveRegions(db, assetId, transition);
  await enqueue(db, renderEdits, { assetId });
  return [];
}

async function restoreOriginal(
  db: Db,
  assetId: string,
  transition: EditTransition,
  now: Date,
): Promise<string[]> {
  const { wasEdited, unusedFiles } = await store.deleteEdits(db, assetId, now);
  if (!wasEdited) return [];
  const isMoved = !isSameGeometry(transition.from, UNEDITED);
  if (isMoved) await moveRegions(db, assetId, transition);
  await enqueueForNewPicture(db, assetId, { isMoved });
  return unusedFiles;
}

/**
 * Enqueues what follows another picture: the pictures of people, and the analysis, which begins anew when the
 * picture is `isMoved`: cropped, turned or straightened in another way. Call it in the transaction that changes the picture.
 */
export async function enqueueForNewPicture(
  db: Db,
  assetId: string,
  { isMoved }: { readonly isMoved: boolean },
): Promise<void> {
  if (isMoved) await deleteAnalysis(db, assetId);
  // Also if nothing has moved: an analysis that began meanwhile has left the picture to this one.
  await enqueue(db, analyzeAsset, { assetId });
  const people = await listPeopleWithThumbnailOn(db, assetId);
  await enqueueMany(
    db,
    renderPerson,
    people.map((personId) => ({ personId })),
  );
}

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
