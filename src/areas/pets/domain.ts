import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, notFound } from '../../core/errors.ts';
import { decodeCursor, encodeCursor } from '../../db/keyset.ts';
import { keepLimit } from '../../db/limits/keep-limit.ts';
import { findAssetsById } from '../assets/index.ts';
import { mergePetMemories } from '../memories/index.ts';
import type { Pet, PetAssets, PetAssetsFilter, PetCreate, PetUpdate } from './schemas.ts';
import * as store from './store.ts';

const DEFAULT_SIZE = 120;

export async function listPets(ctx: Ctx): Promise<Pet[]> {
  const { userId, contentRules } = requireUser(ctx.session);
  const kept = contentRules.flatMap((rule) =>
    rule.kind === 'pet' && rule.targetId ? rule.targetId : [],
  );
  const rows = await store.listPets(ctx, userId);
  return rows.filter((pet) => !kept.includes(pet.id));
}

export async function getPet(ctx: Ctx, id: string): Promise<Pet> {
  const pet = await store.findPet(ctx, requireUser(ctx.session).userId, id.toLowerCase());
  if (!pet) throw notFound('Pet');
  return pet;
}

/** Updates name and confirmation of a pet. Throws 404. */
export async function updatePet(ctx: Ctx, id: string, input: PetUpdate): Promise<Pet> {
  const { name, isConfirmed } = input;
  const isOwn = await store.updatePet(ctx.db, requireUser(ctx.session).userId, id, {
    ...(name !== undefined && { name: name.trim() }),
    ...(isConfirmed !== undefined && { isConfirmed }),
    updatedAt: ctx.now(),
  });
  if (!isOwn) throw notFound('Pet');
  return getPet(ctx, id);
}

/** Adds a pet of a species: the machine knows species, the owner knows individuals. */
export async function createPet(ctx: Ctx, { name, species }: PetCreate): Promise<Pet> {
  const { userId } = requireUser(ctx.session);
  const id = await keepLimit(ctx, 'pet', { ownerId: userId }, ({ db }) =>
    store.insertPet(db, userId, { name: name.trim(), species }),
  );
  return getPet(ctx, id);
}

/**
 * Merges pets into the first one, which takes the first name among them. Throws 400 for fewer than
 * two, 404 for unknown ones.
 */
export async function mergePets(ctx: Ctx, ids: readonly string[]): Promise<Pet> {
  const { userId } = requireUser(ctx.session);
  const wanted = [...new Set(ids.map((id) => id.toLowerCase()))];
  const [intoId, ...others] = wanted;
  if (!intoId || others.length === 0) throw badRequest('At least two pets are needed');
  await ctx.db.transaction(async (tx) => {
    const found = await store.lockPets(tx, userId, wanted);
    if (found.size < wanted.length) throw notFound('Pet');
    const name = wanted.map((id) => found.get(id)?.name).find(Boolean) ?? '';
    await mergePetMemories(tx, intoId, others);
    await store.mergePets(tx, intoId, others, { name, updatedAt: ctx.now() });
  });
  return getPet(ctx, intoId);
}

export async function listPetAssets(
  ctx: Ctx,
  id: string,
  { cursor, size = DEFAULT_SIZE }: PetAssetsFilter,
): Promise<PetAssets> {
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  await getPet(ctx, id);
  const rows = await store.listPetAssets(ctx, id.toLowerCase(), { after, limit: size + 1 });
  const isMore = rows.length > size;
  const page = rows.slice(0, size);
  const found = await findAssetsById(
    ctx,
    page.map((row) => row.id),
  );
  const last = page.at(-1);
  return {
    items: page.flatMap((row) => found.get(row.id) ?? []),
    nextCursor: isMore && last ? encodeCursor(last) : null,
  };
}
