import { lockOwnPicture, type Picture } from '../../assets/picture/index.ts';
import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { noAccess } from '../../../core/errors.ts';
import type { FaceRow, PersonRow } from '../../../db/tables/people.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { changeFace, recordCorrection } from './corrections.store.ts';
import { findFacesByPairs, findFace, lockFaceRow } from './decisions.store.ts';
import { enqueuePersonThumbnails } from '../thumbnail/render.domain.ts';
import type { AssetFaceUpdate, Person } from '../schemas.ts';
import { findPeopleById, lockPeople } from '../store.ts';
import { toPerson } from '../face-box.ts';

export type LockedFace = { readonly face: FaceRow; readonly picture: Picture };

/** Locks the caller's face and its photo until the transaction ends. Throws 400 `noAccess`. */
export async function lockFace(ctx: Ctx, id: string, permission: string): Promise<LockedFace> {
  const { userId } = requireUser(ctx.session);
  const found = await findFace(ctx.db, userId, id);
  const picture = found && (await lockOwnPicture(ctx.db, ctx.session, found.assetId));
  const face = picture && (await lockFaceRow(ctx.db, id));
  if (!face) throw noAccess(permission);
  return { face, picture };
}

/** Assigns a face by the owner's decision; recorded if that changes its person. */
export async function assignFace(
  ctx: Ctx,
  { face, picture }: LockedFace,
  personId: string,
): Promise<FaceRow> {
  const after = await changeFace(
    ctx.db,
    face.id,
    { personId, decidedBy: 'owner', clusteredAt: ctx.now(), isHidden: false },
    ctx.now(),
  );
  if (face.personId !== personId) {
    const how = { revision: picture.revision, now: ctx.now() };
    await recordCorrection(ctx.db, 'moved-onto', { before: face, after }, how);
    await enqueuePersonThumbnails(ctx.db, [face.personId, personId]);
  }
  return after;
}

/** Locks one of the caller's people until the transaction ends. Throws 400 `noAccess`. */
export async function lockPerson(ctx: Ctx, id: string, permission: string): Promise<PersonRow> {
  const found = await lockPeople(ctx.db, requireUser(ctx.session), [id]);
  const person = found.get(id.toLowerCase());
  if (!person) throw noAccess(permission);
  return person;
}

/**
 * Moves the faces given as (asset, person) to this person. Returns everyone affected, the target
 * first.
 */
export async function reassignFaces(
  ctx: Ctx,
  id: string,
  { data }: AssetFaceUpdate,
): Promise<Person[]> {
  const session = requireUser(ctx.session);
  return inTransaction(ctx, async (ctx) => {
    const target = await lockPerson(ctx, id, 'person.reassign');
    const sources = [...new Set(data.map((item) => item.personId.toLowerCase()))];
    const known = await findPeopleById(ctx.db, session, sources);
    if (known.size < sources.length) throw noAccess('person.read');
    const touched = new Set([target.id]);
    for (const faceId of await findFacesByPairs(ctx.db, session.userId, data)) {
      const held = await lockFace(ctx, faceId, 'person.reassign');
      if (held.face.personId === null || held.face.personId === target.id) continue;
      touched.add(held.face.personId);
      await assignFace(ctx, held, target.id);
    }
    const rows = await findPeopleById(ctx.db, session, [...touched]);
    return [...touched].flatMap((personId) => rows.get(personId) ?? []).map(toPerson);
  });
}
