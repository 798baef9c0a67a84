import { asUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { notFound } from '../../core/errors.ts';
import type { Pet, PetUpdate } from './schemas.ts';
import * as store from './store.ts';

export async function listPets(ctx: Ctx): Promise<Pet[]> {
  const { userId, contentRules } = asUser(ctx.session);
  const kept = contentRules.flatMap((rule) =>
    rule.kind === 'pet' && rule.targetId ? rule.targetId : [],
  );
  const rows = await store.listPets(ctx.db, ctx.session, userId);
  return rows.filter((pet) => !kept.includes(pet.id));
}

/** What a machine took for a pet is one once its owner says so. */
export async function updatePet(ctx: Ctx, id: string, input: PetUpdate): Promise<Pet> {
  const { name, isConfirmed } = input;
  const isOwn = await store.updatePet(ctx.db, asUser(ctx.session).userId, id, {
    ...(name !== undefined && { name: name.trim() }),
    ...(isConfirmed !== undefined && { isConfirmed }),
    updatedAt: ctx.now(),
  });
  if (!isOwn) throw notFound('Pet');
  return store.countAssets(ctx.db, ctx.session, id);
}
