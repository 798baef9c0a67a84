import { and, eq, type SQL, sql } from 'drizzle-orm';
import { isKnownPet } from '../../access/locked-labels.ts';
import { requireUser, ownAssets } from '../../access/scope.ts';
import type { Session } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import { isBehind, type Position } from '../../db/keyset.ts';
import { pets } from '../../db/tables/pets.ts';
import type { Pet } from './schemas.ts';
import { uuids } from '../../db/arrays.ts';
import { column } from '../../db/columns.ts';
import { getRow, queryRows } from '../../db/query.ts';

type Reader = { readonly db: Db; readonly session: Session };

export const OBSERVATION_COLUMNS = sql`asset.id as "assetId", encode(asset.thumbhash, 'base64') as thumbhash,
  coalesce(asset.width::float8 / nullif(asset.height, 0), 1) as ratio,
  json_build_object(${sql.raw(
    ['x1', 'y1', 'x2', 'y2']
      // Edits may have cropped it.
      .map((name) => `'${name}', least(1, greatest(0, observation.${name}))`)
      .join(', '),
  )}) as box`;

/** Selects pets; `seen` must provide `seen.assets`, the number of items that show the pet. */
const selectPets = ({ db, session }: Reader, seen: SQL, condition: SQL) => sql`
  select pet.id, pet.name, pet.species, pet.is_confirmed as "isConfirmed",
    coalesce(seen.assets, 0)::int as "assetCount", to_json(cover) as cover
  from pet ${seen}
  left join lateral (
    select ${OBSERVATION_COLUMNS} from pet_observation observation
    join ${ownAssets(db, session, 'timeline')} on asset.id = observation.asset_id
    where observation.pet_id = pet.id
    order by (observation.verdict is not null) desc, observation.score desc limit 1
  ) cover on true
  where ${condition} and ${isKnownPet(requireUser(session))}`;

const PET_COLUMNS = {
  id: column.uuid,
  name: column.text,
  assetCount: column.integer,
  species: column.text.as<'cat' | 'dog' | 'bird' | 'horse' | 'other'>(),
  isConfirmed: column.boolean,
  cover: column.json<NonNullable<Pet['cover']>>().orNull,
};

/** Returns pets on the Timeline, and those that the owner has named or confirmed. */
export async function listPets(reader: Reader, ownerId: string): Promise<Pet[]> {
  const { db, session } = reader;
  const seen = sql`left join (
    select pet_observation.pet_id, count(distinct asset.id) as assets
    from pet_observation
    join ${ownAssets(db, session, 'timeline')} on asset.id = pet_observation.asset_id
    group by pet_observation.pet_id
  ) seen on seen.pet_id = pet.id`;
  return queryRows(
    db,
    PET_COLUMNS,
    sql`
    ${selectPets(reader, seen, sql`pet.owner_id = ${ownerId}::uuid`)}
      and (seen.assets > 0 or pet.is_confirmed or pet.name <> '')
    order by pet.is_confirmed desc, seen.assets desc nulls last, pet.species, pet.id`,
  );
}

export async function findPet(
  reader: Reader,
  ownerId: string,
  id: string,
): Promise<Pet | undefined> {
  const { db, session } = reader;
  const seen = sql`left join lateral (
    select count(distinct asset.id) as assets from pet_observation
    join ${ownAssets(db, session, 'timeline')} on asset.id = pet_observation.asset_id
    where pet_observation.pet_id = pet.id
  ) seen on true`;
  const isIt = sql`pet.id = ${id}::uuid and pet.owner_id = ${ownerId}::uuid`;
  const [row] = await queryRows(db, PET_COLUMNS, selectPets(reader, seen, isIt));
  return row;
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

export async function insertPet(
  db: Db,
  ownerId: string,
  pet: Pick<Pet, 'name' | 'species'>,
): Promise<string> {
  const row = getRow(
    await db
      .insert(pets)
      .values({ ...pet, ownerId, isConfirmed: true, isDefault: false })
      .returning({ id: pets.id }),
  );
  return row.id;
}

const LOCKED_PET_COLUMNS = { id: column.uuid, name: column.text, isDefault: column.boolean };

/** Returns those of `ids` that are pets of the account. */
export async function filterOwnPets(
  db: Db,
  ownerId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select id from pet where owner_id = ${ownerId}::uuid and id = any(${uuids(ids)})`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Locks the owner's pets among `ids` until the transaction ends. */
export async function lockPets(db: Db, ownerId: string, ids: readonly string[]) {
  const rows = await queryRows(
    db,
    LOCKED_PET_COLUMNS,
    sql`
    select id, name, is_default as "isDefault" from pet
    where owner_id = ${ownerId}::uuid and id = any(${uuids(ids)})
    order by id for no key update`,
  );
  return new Map([...rows].map((row) => [row.id, row]));
}

/**
 * Moves the observations of `others` to `intoId`. Default pets of a species stay, without a name.
 */
export async function mergePets(
  db: Db,
  intoId: string,
  others: readonly string[],
  change: { readonly name: string; readonly updatedAt: Date },
): Promise<void> {
  const gone = sql`${uuids(others)}`;
  await queryRows(
    db,
    sql`
    update pet_observation set pet_id = ${intoId}::uuid where pet_id = any(${gone})`,
  );
  await queryRows(
    db,
    sql`
    update pet set name = '', is_confirmed = false where id = any(${gone}) and is_default`,
  );
  await queryRows(db, sql`delete from pet where id = any(${gone}) and not is_default`);
  await db
    .update(pets)
    .set({ ...change, isConfirmed: true })
    .where(eq(pets.id, intoId));
}

/** Returns Timeline items that show the pet, newest first by their local clocks, `after` excluded. */
export async function listPetAssets(
  { db, session }: Reader,
  petId: string,
  { after, limit }: { after: Position | undefined; limit: number },
): Promise<Position[]> {
  return queryRows(
    db,
    { value: column.text, id: column.uuid },
    sql`
    select asset.id, asset.local_taken_at::text as value
    from ${ownAssets(db, session, 'timeline')}
    where ${and(
      sql`exists (select from pet_observation where pet_observation.asset_id = asset.id
        and pet_observation.pet_id = ${petId}::uuid)`,
      after &&
        isBehind({
          columns: [sql`asset.local_taken_at`, sql`asset.id`],
          values: [sql`${after.value}::timestamp`, sql`${after.id}::uuid`],
          direction: 'desc',
        }),
    )}
    order by asset.local_taken_at desc, asset.id desc limit ${limit}`,
  );
}
