import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import type { Box } from '../../inference/index.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';

const OBSERVATION_COLUMNS = { species: column.text, score: column.float, box: column.json<Box>() };

export type Observation = InferRow<typeof OBSERVATION_COLUMNS>;

/** Returns observations with a verdict of the owner; they survive later analyses. */
export async function listDecidedObservations(db: Db, assetId: string): Promise<Observation[]> {
  return queryRows(
    db,
    OBSERVATION_COLUMNS,
    sql`
    select species, score, json_build_object('x1', x1, 'y1', y1, 'x2', x2, 'y2', y2) as box
    from pet_observation where asset_id = ${assetId} and verdict is not null`,
  );
}

/** Replaces the observations without a verdict. A new species creates a default pet. */
export async function saveObservations(
  db: Db,
  { assetId, ownerId, modelId }: { assetId: string; ownerId: string; modelId: string },
  seen: readonly Observation[],
): Promise<void> {
  await queryRows(
    db,
    sql`delete from pet_observation where asset_id = ${assetId} and verdict is null`,
  );
  if (seen.length === 0) return;
  const species = [...new Set(seen.map((one) => one.species))];
  await queryRows(
    db,
    sql`
    insert into pet (owner_id, species)
    select ${ownerId}, species from unnest(${`{${species.join(',')}}`}::text[]) species
    order by species on conflict do nothing`,
  );
  await queryRows(
    db,
    sql`
    insert into pet_observation
      (asset_id, pet_id, species, score, x1, y1, x2, y2, model_id)
    select ${assetId}, pet.id, seen.species, seen.score, (seen.box ->> 'x1')::real,
      (seen.box ->> 'y1')::real, (seen.box ->> 'x2')::real, (seen.box ->> 'y2')::real, ${modelId}
    from jsonb_to_recordset(${JSON.stringify(seen)}::jsonb)
      as seen (species text, score real, box jsonb)
    join pet on pet.owner_id = ${ownerId} and pet.species = seen.species and pet.is_default`,
  );
}
