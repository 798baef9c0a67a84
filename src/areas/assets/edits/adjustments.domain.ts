import { createHash } from 'node:crypto';
import { lockOwned, ownedAmong } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { conflict, noAccess } from '../../../core/errors.ts';
import type { Db } from '../../../db/client.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { type Adjustments, UNADJUSTED } from '../../../media/adjustments.ts';
import { type Edit, scaleBox } from '../../../media/edits.ts';
import type { PictureEdits } from '../../../media/picture-edits.ts';
import type { Size } from '../../../media/sizes.ts';
import type {
  AdjustmentsUpdate,
  PictureEditsBulkUpdate,
  PictureEditsChange,
  PictureEditsPaste,
  PictureEditsResponse,
  PictureEditsUpdate,
} from './adjustments.schemas.ts';
import { changePicture } from './change.domain.ts';
import { findRefusal, getEditableSize, requireInside, toValidEdits } from './editable.ts';
import * as store from './edits.store.ts';
import * as storage from '../../../storage/index.ts';

// Edits and adjustments of pictures as one: see media/adjustments.ts for the order in which they apply.

type State = PictureEdits & { readonly size: Size };

/** Returns all that is done to a picture. Throws 400 for what cannot be edited or is not the caller's own. */
export async function getPictureEdits(
  { db, session }: Ctx,
  id: string,
): Promise<PictureEditsResponse> {
  if ((await ownedAmong(db, session, [id])).size === 0) throw noAccess('asset.edit.get');
  return toResponse(id, await readState(db, id));
}

/** Replaces all that is done to a picture. Throws 409 when its revision is another one. */
export async function putPictureEdits(
  ctx: Ctx,
  id: string,
  { expectedRevision, edits, adjustments }: PictureEditsUpdate,
): Promise<PictureEditsResponse> {
  const to = { edits: toValidEdits(edits), adjustments: toAdjustments(adjustments) };
  const { unusedFiles, response } = await inTransaction(ctx, async ({ db, session, now }) => {
    if ((await lockOwned(db, session, [id])).size === 0) throw noAccess('asset.edit.create');
    const state = await readState(db, id);
    const currentRevision = toRevision(state);
    if (currentRevision !== expectedRevision) {
      throw conflict('The edits have changed: reload and try again', {
        code: 'stale_revision',
        currentRevision,
        retryable: false,
      });
    }
    requireInside(to.edits, state.size);
    const unusedFiles = await changePicture(db, id, { source: state.size, from: state, to }, now());
    return { unusedFiles, response: toResponse(id, { ...to, size: state.size }) };
  });
  await storage.remove(storage.derivedFiles(ctx.paths, unusedFiles));
  return response;
}

/**
 * Replaces all that is done to many pictures, in one transaction; those with another revision stay as they are.
 * Throws 400 unless all are the caller's own.
 */
export async function putManyPictureEdits(
  ctx: Ctx,
  { items }: PictureEditsBulkUpdate,
): Promise<PictureEditsChange> {
  const wanted = new Map(
    items.map(({ assetId, expectedRevision, edits, adjustments }) => [
      assetId.toLowerCase(),
      {
        expectedRevision,
        to: { edits: toValidEdits(edits), adjustments: toAdjustments(adjustments) },
      },
    ]),
  );
  return changeMany(ctx, [...wanted.keys()], (state, id) => {
    const item = wanted.get(id);
    if (!item || toRevision(state) !== item.expectedRevision) return 'stale';
    requireInside(item.to.edits, state.size);
    return item.to;
  });
}

/**
 * Pastes adjustments on many pictures, in one transaction, and the crop where the ratio is the same. Each keeps its
 * turns and mirrors. Throws 400 unless all are the caller's own.
 */
export async function pastePictureEdits(
  ctx: Ctx,
  { assetIds, size, ...copied }: PictureEditsPaste,
): Promise<PictureEditsChange> {
  const edits = toValidEdits(copied.edits);
  requireInside(edits, size);
  const adjustments = toAdjustments(copied.adjustments);
  const crop = edits.find((edit) => edit.action === 'crop');
  const ids = [...new Set(assetIds.map((id) => id.toLowerCase()))];
  return changeMany(ctx, ids, (state) => ({
    edits: crop && isSameRatio(size, state.size) ? withCrop(state, crop, size) : state.edits,
    adjustments,
  }));
}

function withCrop(
  state: State,
  crop: Extract<Edit, { action: 'crop' }>,
  size: Size,
): readonly Edit[] {
  const parameters = scaleBox(crop.parameters, size, state.size);
  return [{ action: 'crop', parameters }, ...state.edits.filter(({ action }) => action !== 'crop')];
}

/** Sizes of one camera differ by some pixels. */
const RATIO_TOLERANCE = 0.01;
const isSameRatio = (one: Size, other: Size): boolean =>
  Math.abs((one.width * other.height) / (one.height * other.width) - 1) < RATIO_TOLERANCE;

/** Changes the pictures that can be edited, each to what `decide` returns. */
async function changeMany(
  ctx: Ctx,
  ids: readonly string[],
  decide: (state: State, id: string) => PictureEdits | 'stale',
): Promise<PictureEditsChange> {
  const changed: PictureEditsChange['changed'] = [];
  const skipped: PictureEditsChange['skipped'] = [];
  const unusedFiles = await inTransaction(ctx, async ({ db, session, now }) => {
    if ((await lockOwned(db, session, ids)).size < ids.length) throw noAccess('asset.edit.create');
    const files: string[] = [];
    for (const assetId of ids) {
      const state = await findState(db, assetId);
      const to = state ? decide(state, assetId) : 'unsupported';
      if (!state || typeof to === 'string') {
        skipped.push({ assetId, reason: to === 'stale' ? 'stale' : 'unsupported' });
        continue;
      }
      files.push(
        ...(await changePicture(db, assetId, { source: state.size, from: state, to }, now())),
      );
      const { edits, adjustments } = toResponse(assetId, state);
      const revision = toRevision({ ...to, size: state.size });
      changed.push({ assetId, revision, before: { edits, adjustments } });
    }
    return files;
  });
  await storage.remove(storage.derivedFiles(ctx.paths, unusedFiles));
  return { changed, skipped };
}

async function readState(db: Db, id: string): Promise<State> {
  const subject = await store.findEditable(db, id);
  if (!subject) throw noAccess('asset.edit.get');
  const size = getEditableSize(subject);
  return { ...(await store.findPictureEdits(db, id)), size };
}

/** Returns undefined for what cannot be edited. */
async function findState(db: Db, id: string): Promise<State | undefined> {
  const subject = await store.findEditable(db, id);
  if (!subject || findRefusal(subject) !== undefined) return undefined;
  return { ...(await store.findPictureEdits(db, id)), size: getEditableSize(subject) };
}

/** Hundredths of a degree are exact enough: a pixel at the edge of 5000. */
const toAdjustments = (update: AdjustmentsUpdate): Adjustments => ({
  ...UNADJUSTED,
  ...update,
  straighten: Math.round((update.straighten ?? 0) * 100) / 100,
});

/** Two states of a picture that look the same have the same one. */
function toRevision({ size, edits, adjustments }: State): string {
  const values = [
    size.width,
    size.height,
    edits.map(({ action, parameters }) => [action, sortEntries(parameters)]),
    sortEntries(adjustments),
  ];
  return createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 32);
}

const sortEntries = (values: object): [string, unknown][] =>
  Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1));

const toResponse = (id: string, state: State): PictureEditsResponse => ({
  assetId: id.toLowerCase(),
  revision: toRevision(state),
  size: state.size,
  edits: state.edits.map(({ action, parameters }) => ({ action, parameters })),
  adjustments: state.adjustments,
});
