import { lockOwnPicture, type Picture } from '../assets/picture/index.ts';
import type { Ctx } from '../../core/context.ts';
import type { FaceRow, StoredBox } from '../../db/tables/people.ts';
import { inTransaction } from '../../db/transaction.ts';
import { computeIou } from '../../inference/index.ts';
import { enqueue } from '../../jobs/queue.ts';
import { embedFace } from '../assets/index.ts';
import { pickBox, assignFace, enqueuePersonThumbnails } from '../people/index.ts';
import * as store from './store.ts';

/** Minimum overlap (intersection over union) of two boxes of one face. */
const MIN_OVERLAP = 0.4;
/** Largest relative difference of aspect ratios of two copies: nothing was cropped. */
const MAX_RATIO_DIFFERENCE = 0.02;

/**
 * Copies the owner's people from pictures that go to their duplicates that stay. People assigned by
 * the machine alone are found there by the machine.
 */
export async function inheritPeople(
  ctx: Ctx,
  keptIds: readonly string[],
  goneIds: readonly string[],
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const known = await store.findNamedFaces(ctx.db, goneIds);
    if (known.length === 0) return;
    for (const id of keptIds) {
      const picture = await lockOwnPicture(ctx.db, ctx.session, id);
      if (picture) await copyPeopleOnto(ctx, picture, known);
    }
  });
}

async function copyPeopleOnto(
  ctx: Ctx,
  picture: Picture,
  known: readonly FaceRow[],
): Promise<void> {
  const faces = await store.listFaces(ctx.db, picture.assetId, true);
  const seen = new Set(faces.flatMap(({ personId, isHidden }) => (isHidden ? [] : personId)));
  for (const face of known) {
    const { personId } = face;
    if (personId === null || seen.has(personId)) continue;
    const same = faces.find((other) => computeIou(face, other) >= MIN_OVERLAP);
    if (same) {
      // Existing knowledge about this picture wins.
      if (same.personId !== null || same.isHidden) continue;
      await assignFace(ctx, { face: same, picture }, personId);
    } else if (face.decidedBy === 'owner' && isSameShape(face, picture)) {
      await drawFace(ctx, picture, face);
    } else continue;
    seen.add(personId);
  }
}

async function drawFace(ctx: Ctx, picture: Picture, face: FaceRow): Promise<void> {
  const now = ctx.now();
  const row = await store.insertFace(ctx.db, {
    ...pickBox(face),
    ownerId: picture.ownerId,
    assetId: picture.assetId,
    personId: face.personId,
    source: 'manual',
    boxBy: 'owner',
    decidedBy: 'owner',
    clusteredAt: now,
    sourceRevision: picture.revision,
    createdAt: now,
    updatedAt: now,
  });
  await enqueue(ctx.db, embedFace, { faceId: row.id });
  await enqueuePersonThumbnails(ctx.db, [row.personId]);
}

const isSameShape = ({ imageWidth, imageHeight }: StoredBox, { width, height }: Picture): boolean =>
  width !== null &&
  height !== null &&
  Math.abs(imageWidth / imageHeight / (width / height) - 1) < MAX_RATIO_DIFFERENCE;
