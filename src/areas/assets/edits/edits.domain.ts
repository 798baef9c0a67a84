import { lockOwned, ownedAmong } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { badRequest, invalidField, noAccess } from '../../../core/errors.ts';
import type { Db } from '../../../db/client.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { analyzeAsset } from '../../../inference/jobs.ts';
import { enqueue, enqueueMany } from '../../../jobs/queue.ts';
import { renderPerson } from '../../../job-registry.ts';
import type { Edit } from '../../../media/edits.ts';
import { getMimeType } from '../../../media/formats.ts';
import type { Size } from '../../../media/sizes.ts';
import type { AssetEdits, EditsCreate } from './edits.schemas.ts';
import * as store from './edits.store.ts';
import { renderEdits } from '../jobs.ts';
import { deleteAnalysis, moveRegions, listPeopleWithThumbnailOn } from './regions.store.ts';
import { deleteDerivedFiles } from '../processing/derived-files.ts';

export async function getEdits({ db, session }: Ctx, id: string): Promise<AssetEdits> {
  if ((await ownedAmong(db, session, [id])).size === 0) throw noAccess('asset.edit.get');
  return toEdits(id, await store.listEdits(db, id));
}

/**
 * Replaces the edits of an image and enqueues the rendering. Throws 400 for edits that do not apply.
 */
export async function editAsset(ctx: Ctx, id: string, { edits }: EditsCreate): Promise<AssetEdits> {
  const steps = edits.map(toEdit);
  requireValidOrder(steps);
  return inTransaction(ctx, async ({ db, session, now }) => {
    if ((await lockOwned(db, session, [id])).size === 0) throw noAccess('asset.edit.create');
    const subject = await store.findEditable(db, id);
    if (!subject) throw noAccess('asset.edit.create');
    const source = getEditableSize(subject);
    requireInside(steps, source);
    const before = await store.listEdits(db, id);
    await store.saveUneditedState(db, id);
    await store.replaceEdits(db, id, steps, now());
    await moveRegions(db, id, { source, from: before, to: steps });
    await enqueue(db, renderEdits, { assetId: id });
    return toEdits(id, await store.listEdits(db, id));
  });
}

/** Restores the unedited picture at once, without a job. */
export async function removeEdits(ctx: Ctx, id: string): Promise<void> {
  const names = await inTransaction(ctx, async ({ db, session, now }) => {
    if ((await lockOwned(db, session, [id])).size === 0) throw noAccess('asset.edit.delete');
    const before = await store.listEdits(db, id);
    const source = await store.findUneditedSize(db, id);
    const unusedFiles = await store.deleteEdits(db, id, now());
    if (source) {
      await moveRegions(db, id, { source, from: before, to: [] });
      await reanalyzeAsset(db, id);
    }
    return unusedFiles;
  });
  await deleteDerivedFiles(ctx.paths, names);
}

/**
 * Enqueues the analysis of the picture that is now shown. Call it in the transaction that changes the
 * picture.
 */
export async function reanalyzeAsset(db: Db, assetId: string): Promise<void> {
  await deleteAnalysis(db, assetId);
  await enqueue(db, analyzeAsset, { assetId });
  const people = await listPeopleWithThumbnailOn(db, assetId);
  await enqueueMany(
    db,
    renderPerson,
    people.map((personId) => ({ personId })),
  );
}

function toEdit({ action, parameters }: EditsCreate['edits'][number], at: number): Edit {
  if (action === 'crop' && 'width' in parameters) return { action, parameters };
  if (action === 'mirror' && 'axis' in parameters) return { action, parameters };
  if (action === 'rotate' && 'angle' in parameters) {
    if ([0, 90, 180, 270].includes(parameters.angle)) return { action, parameters };
    throw invalidField(`edits.${at}.parameters.angle`, 'Must be 0, 90, 180 or 270');
  }
  throw invalidField(`edits.${at}.parameters`, `Must be the parameters of ${action}`);
}

function requireValidOrder(steps: readonly Edit[]): void {
  if (steps.findLastIndex((step) => step.action === 'crop') > 0) {
    throw badRequest('Crop action must be the first edit action');
  }
  const kinds = steps.map((step) =>
    step.action === 'mirror' ? `mirror ${step.parameters.axis}` : step.action,
  );
  if (new Set(kinds).size < kinds.length) throw badRequest('Each edit action is allowed once');
}

const UNEDITABLE_MIME_TYPES: ReadonlySet<string> = new Set(['image/gif', 'image/svg']);

function getEditableSize({ type, ...subject }: store.EditableAsset): Size {
  if (type !== 'IMAGE') throw badRequest('Only images can be edited');
  if (subject.liveVideoId !== null) throw badRequest('Editing live photos is not supported');
  if (subject.projectionType === 'EQUIRECTANGULAR') {
    throw badRequest('Editing panorama images is not supported');
  }
  if (UNEDITABLE_MIME_TYPES.has(getMimeType(subject.fileName))) {
    throw badRequest('Editing this kind of image is not supported');
  }
  const { width, height } = subject;
  if (width === null || height === null) {
    throw badRequest('Asset dimensions are not available for editing');
  }
  return { width, height };
}

function requireInside(steps: readonly Edit[], size: Size): void {
  for (const step of steps) {
    if (step.action !== 'crop') continue;
    const { x, y, width, height } = step.parameters;
    if (x + width > size.width || y + height > size.height) {
      throw badRequest('Crop parameters are out of bounds');
    }
  }
}

const toEdits = (assetId: string, rows: readonly store.EditRow[]): AssetEdits => ({
  assetId: assetId.toLowerCase(),
  edits: rows.map(({ id, action, parameters }) => ({ id, action, parameters })),
});
