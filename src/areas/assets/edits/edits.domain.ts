import { lockOwned, ownedAmong } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { badRequest, invalidField, noAccess } from '../../../core/errors.ts';
import type { Db } from '../../../db/client.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { analyzeAsset } from '../../../inference/jobs.ts';
import { enqueue, enqueueMany } from '../../../jobs/queue.ts';
import { renderPerson } from '../../../jobs/registry.ts';
import type { Edit } from '../../../media/edits.ts';
import { getMimeType } from '../../../media/formats.ts';
import type { Size } from '../../../media/sizes.ts';
import type { AssetEdits, EditsCreate } from './edits.schemas.ts';
import * as store from './edits.store.ts';
import { renderEdits } from '../jobs.ts';
import { forgetAnalysis, movePlaces, peopleShownBy } from '../models/model-moves.store.ts';
import { removeDerived } from '../processing/tools.ts';

export async function getEdits({ db, session }: Ctx, id: string): Promise<AssetEdits> {
  if ((await ownedAmong(db, session, [id])).size === 0) throw noAccess('asset.edit.get');
  return toEdits(id, await store.listEdits(db, id));
}

/** Takes the place of earlier edits. The pictures follow when the job has made them. */
export async function editAsset(ctx: Ctx, id: string, { edits }: EditsCreate): Promise<AssetEdits> {
  const steps = edits.map(toStep);
  requireOrder(steps);
  return inTransaction(ctx, async ({ db, session, now }) => {
    if ((await lockOwned(db, session, [id])).size === 0) throw noAccess('asset.edit.create');
    const subject = await store.findEditable(db, id);
    if (!subject) throw noAccess('asset.edit.create');
    const source = editableSize(subject);
    requireInside(steps, source);
    const before = await store.listEdits(db, id);
    await store.keepUnedited(db, id);
    await store.replaceEdits(db, id, steps, now());
    await movePlaces(db, id, { source, from: before, to: steps });
    await enqueue(db, renderEdits, { assetId: id });
    return toEdits(id, await store.listEdits(db, id));
  });
}

/** The asset is again what the file shows, at once. */
export async function removeEdits(ctx: Ctx, id: string): Promise<void> {
  const names = await inTransaction(ctx, async ({ db, session, now }) => {
    if ((await lockOwned(db, session, [id])).size === 0) throw noAccess('asset.edit.delete');
    const before = await store.listEdits(db, id);
    const source = await store.uneditedSize(db, id);
    const gone = await store.removeEdits(db, id, now());
    if (source) {
      await movePlaces(db, id, { source, from: before, to: [] });
      await lookAgain(db, id);
    }
    return gone;
  });
  await removeDerived(ctx.paths, names);
}

/** By the models: at the picture that is shown now. Call in the transaction that changes it. */
export async function lookAgain(db: Db, assetId: string): Promise<void> {
  await forgetAnalysis(db, assetId);
  await enqueue(db, analyzeAsset, { assetId });
  const people = await peopleShownBy(db, assetId);
  await enqueueMany(
    db,
    renderPerson,
    people.map((personId) => ({ personId })),
  );
}

function toStep({ action, parameters }: EditsCreate['edits'][number], at: number): Edit {
  if (action === 'crop' && 'width' in parameters) return { action, parameters };
  if (action === 'mirror' && 'axis' in parameters) return { action, parameters };
  if (action === 'rotate' && 'angle' in parameters) {
    if ([0, 90, 180, 270].includes(parameters.angle)) return { action, parameters };
    throw invalidField(`edits.${at}.parameters.angle`, 'Not 0, 90, 180 or 270');
  }
  throw invalidField(`edits.${at}.parameters`, `Not what ${action} needs`);
}

function requireOrder(steps: readonly Edit[]): void {
  if (steps.findLastIndex((step) => step.action === 'crop') > 0) {
    throw badRequest('Crop action must be the first edit action');
  }
  const kinds = steps.map((step) =>
    step.action === 'mirror' ? `mirror ${step.parameters.axis}` : step.action,
  );
  if (new Set(kinds).size < kinds.length) throw badRequest('Each edit action once');
}

const UNEDITABLE: ReadonlySet<string> = new Set(['image/gif', 'image/svg+xml']);

function editableSize({ type, ...subject }: store.Editable): Size {
  if (type !== 'IMAGE') throw badRequest('Only images can be edited');
  if (subject.liveVideoId !== null) throw badRequest('Editing live photos is not supported');
  if (subject.projectionType === 'EQUIRECTANGULAR') {
    throw badRequest('Editing panorama images is not supported');
  }
  if (UNEDITABLE.has(getMimeType(subject.fileName))) {
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
