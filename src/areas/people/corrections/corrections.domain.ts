import { requireUser } from '../../../access/scope.ts';
import { requireValue } from '../../../core/required.ts';
import { lockOwnPicture } from '../../assets/picture/index.ts';
import type { Ctx } from '../../../core/context.ts';
import { conflict, noAccess, notFound } from '../../../core/errors.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { embedFace } from '../../assets/index.ts';
import * as store from './corrections.store.ts';
import { enqueuePersonThumbnails } from '../thumbnail/render.domain.ts';
import type { Correction, Corrections, CorrectionsFilter, UndoBlock } from '../schemas.ts';
import { toBox } from '../face-box.ts';

const DEFAULT_SIZE = 25;

export async function listCorrections(
  ctx: Ctx,
  id: string,
  { page = 1, size = DEFAULT_SIZE }: CorrectionsFilter,
): Promise<Corrections> {
  const owner = requireUser(ctx.session);
  const personId = await store.findIncludingMerged(ctx.db, owner, id);
  if (!personId) throw noAccess('person.read');
  const offset = (page - 1) * size;
  const { rows, total } = await store.listCorrections(ctx.db, ctx.session, owner.userId, {
    personId,
    limit: size,
    offset,
  });
  return {
    items: rows.map(toCorrection),
    total,
    page,
    size,
    hasNextPage: offset + rows.length < total,
  };
}

/**
 * Undoes a correction, if nothing it touched has changed since. Throws 404, and 409 with the
 * reason.
 */
export async function undoCorrection(ctx: Ctx, id: string): Promise<Correction> {
  const { userId } = requireUser(ctx.session);
  return inTransaction(ctx, async (ctx) => {
    const record = await store.findCorrection(ctx.db, userId, id);
    if (!record || !(await isReachable(ctx, record))) throw notFound('Correction');
    await store.lockCorrection(ctx.db, record);
    // Read again under the lock: it may have changed while waiting.
    const standing = await store.findCorrection(ctx.db, userId, id);
    if (!standing) throw notFound('Correction');
    if (standing.block) throw notUndoable(standing.block);
    await reverse(ctx, standing);
    await store.markUndone(ctx.db, id, ctx.now());
    await enqueuePersonThumbnails(ctx.db, [standing.personId, standing.previousPersonId]);
    const undone = await store.findCorrection(ctx.db, userId, id);
    return toCorrection(requireValue(undone, 'correction'));
  });
}

/** Returns whether the session may see the photo that the record is about. */
async function isReachable(ctx: Ctx, record: store.CorrectionView): Promise<boolean> {
  if (record.kind === 'merge' || !record.assetId || !record.faceId) return true;
  if (await lockOwnPicture(ctx.db, ctx.session, record.assetId)) return true;
  return !(await store.faceExists(ctx.db, record.faceId));
}

async function reverse(ctx: Ctx, record: store.CorrectionView): Promise<void> {
  if (record.kind === 'merge') return store.undoMerge(ctx.db, record, ctx.now());
  const { kind, previousPersonId, previousDecidedBy, previousBox, previousBoxBy } = record;
  const faceId = requireValue(record.faceId, 'face of a correction');
  const person: store.FaceChange = {
    personId: previousPersonId,
    decidedBy: previousDecidedBy ?? 'owner',
    clusteredAt: ctx.now(),
  };
  const change: store.FaceChange =
    kind === 'box-moved'
      ? // The box belongs to the machine again: the next analysis may move it.
        { ...previousBox, boxBy: previousBoxBy ?? 'owner' }
      : kind === 'not-a-face'
        ? { ...person, isHidden: false }
        : person;
  await store.changeFace(ctx.db, faceId, change, ctx.now());
  // Its vector was computed at the moved place.
  if (kind === 'box-moved') await enqueue(ctx.db, embedFace, { faceId });
}

const SENTENCES: Record<UndoBlock, string> = {
  'face-gone': 'The face was deleted',
  'original-changed': 'The photo was changed since',
  'box-changed': 'The face was moved since',
  'person-changed': 'The face was assigned to another person since',
  'person-gone': 'The person is no longer there',
  'already-undone': 'This was undone already',
};

const notUndoable = (reason: UndoBlock) =>
  conflict(SENTENCES[reason], { code: 'not_undoable', reason });

const toCorrection = (row: store.CorrectionView): Correction => ({
  id: row.id,
  kind: row.kind,
  createdAt: row.createdAt.toISOString(),
  personId: row.personId,
  previousPersonId: row.previousPersonId,
  faceId: row.faceId,
  assetId: row.assetId,
  sourceRevision: row.sourceRevision,
  box: row.box && toBox(row.box),
  previousBox: row.previousBox && toBox(row.previousBox),
  mergedPersonIds: row.mergedIds,
  affectedFaceCount: row.moved,
  canUndo: row.block === null,
  undoBlockedReason: row.block,
  undoneAt: row.undoneAt?.toISOString() ?? null,
});
