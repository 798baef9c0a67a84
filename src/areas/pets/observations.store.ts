import { sql } from 'drizzle-orm';
import { type AssetScope, ownAssets } from '../../access/scope.ts';
import type { Session } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import type { PetObservation } from './schemas.ts';
import { OBSERVATION_COLUMNS } from './store.ts';
import { column } from '../../db/columns.ts';
import { getRow, queryRows } from '../../db/query.ts';

type Reader = { readonly db: Db; readonly session: Session };

const selectObservations = ({ db, session }: Reader, lens: AssetScope) => sql`
  select observation.id, observation.pet_id as "petId", observation.species, observation.score,
    observation.verdict, ${OBSERVATION_COLUMNS}
  from pet_observation observation
  join ${ownAssets(db, session, lens)} on asset.id = observation.asset_id`;

const PET_OBSERVATION_COLUMNS = {
  id: column.uuid,
  box: column.json<PetObservation['box']>(),
  thumbhash: column.text.orNull,
  assetId: column.uuid,
  score: column.float,
  petId: column.uuid.orNull,
  ratio: column.float,
  verdict: column.text.as<'confirmed' | 'denied'>().orNull,
  species: column.text.as<'cat' | 'dog' | 'bird' | 'horse' | 'other'>(),
};

/** Returns the observations on an asset from left to right. */
export async function listObservations(reader: Reader, assetId: string): Promise<PetObservation[]> {
  return queryRows(
    reader.db,
    PET_OBSERVATION_COLUMNS,
    sql`
    ${selectObservations(reader, 'any')} where observation.asset_id = ${assetId}::uuid
    order by observation.x1, observation.id`,
  );
}

/** Returns observations without a verdict, highest score first. */
export async function listUnconfirmed(
  reader: Reader,
  petId: string,
  limit: number,
): Promise<PetObservation[]> {
  return queryRows(
    reader.db,
    PET_OBSERVATION_COLUMNS,
    sql`
    ${selectObservations(reader, 'timeline')}
    where observation.pet_id = ${petId}::uuid and observation.verdict is null
    order by observation.score desc, observation.id limit ${limit}`,
  );
}

export async function findObservation(
  reader: Reader,
  id: string,
): Promise<PetObservation | undefined> {
  const [row] = await queryRows(
    reader.db,
    PET_OBSERVATION_COLUMNS,
    sql`
    ${selectObservations(reader, 'any')} where observation.id = ${id}::uuid`,
  );
  return row;
}

/** Returns false when an analysis has replaced the observation meanwhile. */
export async function saveVerdict(
  db: Db,
  id: string,
  { verdict, petId }: Pick<PetObservation, 'verdict' | 'petId'>,
): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`
    update pet_observation set verdict = ${verdict}, pet_id = ${petId}::uuid
    where id = ${id}::uuid returning id`,
  );
  return rows.length > 0;
}

/** Returns the default pet of a species, which collects its observations; creates it if missing. */
export async function getDefaultPet(db: Db, ownerId: string, species: string): Promise<string> {
  await queryRows(
    db,
    sql`
    insert into pet (owner_id, species) values (${ownerId}::uuid, ${species}) on conflict do nothing`,
  );
  const row = getRow(
    await queryRows(
      db,
      { id: column.uuid },
      sql`
    select id from pet
    where owner_id = ${ownerId}::uuid and species = ${species} and is_default`,
    ),
  );
  return row.id;
}
