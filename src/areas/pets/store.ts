import { and, eq, sql } from 'drizzle-orm';
import { ownAssets } from '../../access/scope.ts';
import type { Session } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import { pets, type PetRow } from '../../db/tables/people.ts';

export type PetView = Pick<PetRow, 'id' | 'name' | 'species' | 'isConfirmed'> & {
  readonly assetCount: number;
};

/** Those that the Timeline shows, and those that the owner has named or confirmed. */
export async function listPets(db: Db, session: Session, ownerId: string): Promise<PetView[]> {
  const rows = await db.execute<PetView>(sql`
    select pet.id, pet.name, pet.species, pet.is_confirmed as "isConfirmed",
      coalesce(seen.assets, 0)::int as "assetCount"
    from pet left join (
      select pet_observation.pet_id, count(distinct asset.id) as assets
      from pet_observation
      join ${ownAssets(db, session, 'timeline')} on asset.id = pet_observation.asset_id
      group by pet_observation.pet_id
    ) seen on seen.pet_id = pet.id
    where pet.owner_id = ${ownerId}
      and (seen.assets > 0 or pet.is_confirmed or pet.name <> '')
    order by pet.is_confirmed desc, seen.assets desc nulls last, pet.species`);
  return [...rows];
}

export async function updatePet(
  db: Db,
  ownerId: string,
  id: string,
  change: { readonly name?: string; readonly isConfirmed?: boolean; readonly updatedAt: Date },
): Promise<boolean> {
  const rows = await db
    .update(pets)
    .set(change)
    .where(and(eq(pets.id, id), eq(pets.ownerId, ownerId)))
    .returning({ id: pets.id });
  return rows.length > 0;
}

export async function countAssets(db: Db, session: Session, id: string): Promise<PetView> {
  const [row] = await db.execute<PetView>(sql`
    select pet.id, pet.name, pet.species, pet.is_confirmed as "isConfirmed", (
      select count(distinct asset.id)::int from pet_observation
      join ${ownAssets(db, session, 'timeline')} on asset.id = pet_observation.asset_id
      where pet_observation.pet_id = pet.id) as "assetCount"
    from pet where pet.id = ${id}`);
  return row!;
}
