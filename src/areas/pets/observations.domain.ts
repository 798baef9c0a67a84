import { lockOwnPicture } from '../assets/picture/index.ts';
import { requireUser, ownedAmong } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, noAccess, notFound } from '../../core/errors.ts';
import { getPet } from './domain.ts';
import * as store from './observations.store.ts';
import type { PetObservation, PetObservationUpdate } from './schemas.ts';
import { lockPets } from './store.ts';

const DEFAULT_SIZE = 24;

/** Returns all observations on a photo, also denied ones. Throws 400 `noAccess`. */
export async function listObservations(ctx: Ctx, assetId: string): Promise<PetObservation[]> {
  requireUser(ctx.session);
  const id = assetId.toLowerCase();
  const own = await ownedAmong(ctx.db, ctx.session, [id]);
  if (!own.has(id)) throw noAccess('asset.read');
  return store.listObservations(ctx, id);
}

export async function listUnconfirmed(ctx: Ctx, petId: string, size = DEFAULT_SIZE) {
  const pet = await getPet(ctx, petId);
  return store.listUnconfirmed(ctx, pet.id, size);
}

/** Saves the owner's verdict on an observation; it survives later analyses. Throws 404. */
export async function updateObservation(
  ctx: Ctx,
  id: string,
  { verdict, petId }: PetObservationUpdate,
): Promise<PetObservation> {
  const { userId } = requireUser(ctx.session);
  if (verdict === 'denied' && petId !== undefined)
    throw badRequest('petId must be omitted with the verdict denied');
  const before = await store.findObservation(ctx, id);
  if (!before) throw notFound('PetObservation');
  const isSaved = await ctx.db.transaction(async (tx) => {
    // The lock on the photo keeps an analysis from adding the same animal again.
    if (!(await lockOwnPicture(tx, ctx.session, before.assetId))) return false;
    if (verdict === 'denied') return store.saveVerdict(tx, id, { verdict, petId: null });
    const wanted = petId?.toLowerCase() ?? before.petId ?? undefined;
    if (wanted && !(await lockPets(tx, userId, [wanted])).has(wanted)) throw notFound('Pet');
    const chosen = wanted ?? (await store.getDefaultPet(tx, userId, before.species));
    return store.saveVerdict(tx, id, { verdict, petId: chosen });
  });
  const after = isSaved ? await store.findObservation(ctx, id) : undefined;
  if (!after) throw notFound('PetObservation');
  return after;
}
