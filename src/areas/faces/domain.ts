import { getFirst } from '../../core/required.ts';
import { findPicture, lockOwnPicture } from '../assets/picture/index.ts';
import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, conflict, invalidField, noAccess, notFound } from '../../core/errors.ts';
import type { FaceRow, StoredBox } from '../../db/tables/people.ts';
import { keepLimit } from '../../db/limits/keep-limit.ts';
import { inTransaction } from '../../db/transaction.ts';
import { enqueue } from '../../jobs/queue.ts';
import { embedFace } from '../assets/index.ts';
import {
  changeFace,
  findPeopleById,
  fromBox,
  assignFace,
  lockFace,
  lockPerson,
  isSameBox,
  recordCorrection,
  enqueuePersonThumbnails,
  toBox,
  toPerson,
} from '../people/index.ts';
import { removeFaces } from './sink.store.ts';
import type { AssetFace, FaceCorrection, FaceCreate, FaceSource } from './schemas.ts';
import * as store from './store.ts';

/** Lists the faces of an asset. Other viewers see where the faces are, not whose. */
export async function listFaces(
  ctx: Ctx,
  assetId: string,
  withHidden: boolean,
): Promise<AssetFace[]> {
  const { userId } = requireUser(ctx.session);
  const picture = await findPicture(ctx.db, ctx.session, assetId);
  if (!picture) throw noAccess('asset.read');
  if (withHidden && picture.ownerId !== userId) {
    throw badRequest('Only the owner of an asset sees its hidden faces');
  }
  return toFaces(ctx, await store.listFaces(ctx.db, picture.assetId, withHidden));
}

export async function getFaceSource(ctx: Ctx, assetId: string): Promise<FaceSource> {
  const picture = await findPicture(ctx.db, ctx.session, assetId);
  if (!picture) throw noAccess('asset.read');
  const { width, height, revision } = picture;
  if (!width || !height) throw notFound('Picture');
  return { assetId: picture.assetId, revision, imageWidth: width, imageHeight: height };
}

/** Adds a face that recognition missed. */
export async function createFace(ctx: Ctx, input: FaceCreate): Promise<AssetFace> {
  const box = fromBox(input);
  if (!box) throw invalidField('width', 'The box must lie inside the picture');
  return inTransaction(ctx, async (ctx) => {
    const picture = await lockOwnPicture(ctx.db, ctx.session, input.assetId);
    if (!picture) throw noAccess('asset.read');
    requireSource(input.expectedSourceRevision, picture.revision);
    const person = input.personId
      ? await lockPerson(ctx, input.personId, 'person.read')
      : undefined;
    const now = ctx.now();
    const { ownerId, assetId } = picture;
    const row = await keepLimit(ctx, 'face', { ownerId, itemIds: [assetId] }, ({ db }) =>
      store.insertFace(db, {
        ...box,
        ownerId,
        assetId,
        personId: person?.id ?? null,
        source: 'manual',
        boxBy: 'owner',
        decidedBy: person ? 'owner' : 'machine',
        // An unassigned face is clustered once it has a vector.
        clusteredAt: now,
        sourceRevision: picture.revision,
        createdAt: now,
        updatedAt: now,
      }),
    );
    await enqueue(ctx.db, embedFace, { faceId: row.id });
    await enqueuePersonThumbnails(ctx.db, [row.personId]);
    return toFace(ctx, row);
  });
}

/**
 * Changes person, box and visibility of a face; omitted members stay. Throws 409 with the current
 * revision.
 */
export async function correctFace(ctx: Ctx, id: string, input: FaceCorrection): Promise<AssetFace> {
  const { expectedRevision, expectedSourceRevision, personId, box, isHidden } = input;
  if (personId === undefined && box === undefined && isHidden === undefined) {
    throw badRequest('At least one of personId, box and isHidden is required');
  }
  if (box && expectedSourceRevision === undefined) {
    throw invalidField('expectedSourceRevision', 'Required with a box');
  }
  const place = box && fromBox(box);
  if (box && !place) throw invalidField('box', 'The box must lie inside the picture');
  return inTransaction(ctx, async (ctx) => {
    const { face, picture } = await lockFace(ctx, id, 'face.update');
    if (face.revision !== expectedRevision) throw staleRevision(face.revision);
    requireSource(expectedSourceRevision, picture.revision);
    if (personId) await lockPerson(ctx, personId, 'person.read');
    const change = toFaceChange(ctx, { personId, place, isHidden }, picture.revision);
    const after = await changeFace(ctx.db, face.id, change, ctx.now());
    await recordChanges(ctx, { before: face, after }, picture.revision);
    return toFace(ctx, after);
  });
}

type FaceEdit = {
  readonly personId: string | null | undefined;
  readonly place: StoredBox | undefined;
  readonly isHidden: boolean | undefined;
};

const toFaceChange = (
  ctx: Ctx,
  { personId, place, isHidden }: FaceEdit,
  sourceRevision: string,
) => ({
  ...(personId !== undefined && {
    personId: personId?.toLowerCase() ?? null,
    decidedBy: 'owner' as const,
    clusteredAt: ctx.now(),
  }),
  ...(place && { ...place, boxBy: 'owner' as const, sourceRevision }),
  ...(isHidden !== undefined && { isHidden, decidedBy: 'owner' as const }),
});

/** Records one correction per changed member. */
async function recordChanges(
  ctx: Ctx,
  rows: { readonly before: FaceRow; readonly after: FaceRow },
  revision: string,
): Promise<void> {
  const { before, after } = rows;
  const how = { revision, now: ctx.now() };
  if (!isSameBox(before, after)) {
    await recordCorrection(ctx.db, 'box-moved', rows, how);
    await enqueue(ctx.db, embedFace, { faceId: after.id });
  }
  if (before.personId !== after.personId) {
    const kind = after.personId === null ? 'moved-off' : 'moved-onto';
    await recordCorrection(ctx.db, kind, rows, how);
  }
  if (!before.isHidden && after.isHidden) {
    await recordCorrection(ctx.db, 'not-a-face', rows, how);
  }
  await enqueuePersonThumbnails(ctx.db, [before.personId, after.personId]);
}

/** Deletes a face for good with `force`, else hides it so that the owner can restore it. */
export async function deleteFace(ctx: Ctx, id: string, force: boolean): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const { face, picture } = await lockFace(ctx, id, 'face.delete');
    if (force) {
      await removeFaces(ctx.db, [face.id]);
    } else if (!face.isHidden) {
      const change = { personId: null, isHidden: true, decidedBy: 'owner' as const };
      const after = await changeFace(ctx.db, face.id, change, ctx.now());
      const how = { revision: picture.revision, now: ctx.now() };
      await recordCorrection(ctx.db, 'not-a-face', { before: face, after }, how);
    }
    await enqueuePersonThumbnails(ctx.db, [face.personId]);
  });
}

/** Assigns the face to the person. */
export async function reassignFace(ctx: Ctx, personId: string, faceId: string) {
  return inTransaction(ctx, async (ctx) => {
    const held = await lockFace(ctx, faceId, 'face.update');
    const person = await lockPerson(ctx, personId, 'person.update');
    await assignFace(ctx, held, person.id);
    return toPerson(person);
  });
}

function requireSource(expected: string | undefined, current: string): void {
  if (expected !== undefined && expected !== current) throw staleRevision(current);
}

const staleRevision = (currentRevision: number | string) =>
  conflict('It was changed meanwhile', { code: 'stale_revision', currentRevision });

const toFace = async (ctx: Ctx, row: FaceRow): Promise<AssetFace> =>
  getFirst(await toFaces(ctx, [row]));

async function toFaces(ctx: Ctx, rows: readonly FaceRow[]): Promise<AssetFace[]> {
  const session = requireUser(ctx.session);
  const ids = rows.flatMap((row) => row.personId ?? []);
  const people = await findPeopleById(ctx.db, session, [...new Set(ids)]);
  return rows.map((row) => {
    const { x, y, width, height, imageWidth, imageHeight } = toBox(row);
    const person = row.personId === null ? undefined : people.get(row.personId);
    return {
      id: row.id,
      boundingBoxX1: x,
      boundingBoxY1: y,
      boundingBoxX2: x + width,
      boundingBoxY2: y + height,
      imageWidth,
      imageHeight,
      person: person ? toPerson(person) : null,
      sourceType: row.source,
      revision: row.revision,
      sourceRevision: row.sourceRevision,
      isHidden: row.isHidden,
    };
  });
}
