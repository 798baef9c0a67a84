import type { Db } from '../../../db/client.ts';
import { analyzeAsset } from '../../../inference/jobs.ts';
import { enqueue, enqueueMany } from '../../../jobs/queue.ts';
import { isUnadjusted } from '../../../media/adjustments.ts';
import { type EditTransition, isSameGeometry, UNEDITED } from '../../../media/picture-edits.ts';
import { renderEdits, renderPerson } from '../jobs.ts';
import { replaceAdjustments } from './adjustments.store.ts';
import * as store from './edits.store.ts';
import { deleteAnalysis, listPeopleWithThumbnailOn, moveRegions } from './regions.store.ts';

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
