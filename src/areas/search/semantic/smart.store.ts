import { sql } from 'drizzle-orm';
import { column } from '../../../db/columns.ts';
import { queryLists } from '../../../db/lists.ts';
import { queryRows } from '../../../db/query.ts';
import { bodyName, toViewOptions } from '../../assets/index.ts';
import {
  type Matching,
  selectMatching,
  unionPerOwner,
  type Reader,
} from '../match/matching.store.ts';

/**
 * Returns the vector slots of matching items as packed big-endian int32, as `VectorIndex` takes
 * them.
 */
export async function selectMatchingSlots(
  reader: Reader,
  matching: Matching,
  modelId: string,
): Promise<Uint8Array> {
  const items = unionPerOwner(
    matching,
    (owner) => sql`select asset.id ${selectMatching(reader, matching, owner)}`,
  );
  const [row] = await queryRows(
    reader.db,
    { slots: column.bytea.orNull },
    sql`select string_agg(int4send(embedding.slot), ''::bytea) as slots
      from (${items}) item join embedding on embedding.subject_id = item.id
      where embedding.model = (select id from embedding_model where model_id = ${modelId})`,
  );
  return row?.slots ?? new Uint8Array(0);
}

/** Returns the asset id by slot, for those of `slots` that match. */
export async function filterMatchingSlots(
  reader: Reader,
  matching: Matching,
  modelId: string,
  slots: readonly number[],
): Promise<Map<number, string>> {
  if (slots.length === 0) return new Map();
  const items = unionPerOwner(matching, (owner) => {
    const only = sql`asset.id in (select subject_id from ranked)`;
    return sql`select asset.id ${selectMatching(reader, matching, owner, { only })}`;
  });
  const found = await queryLists(
    reader.db,
    ['slot', 'id'],
    sql`with ranked as materialized (
        select slot, subject_id from embedding
        where model = (select id from embedding_model where model_id = ${modelId})
          and slot = any(${`{${slots.join(',')}}`}::int[])
      )
      select ranked.slot, item.id from (${items}) item join ranked on ranked.subject_id = item.id`,
  );
  return new Map(found.map(({ slot, id }) => [Number(slot), id]));
}

/** Returns the number of vectors of a model, of all accounts. */
export async function countModelVectors(reader: Reader, modelId: string): Promise<number> {
  const [row] = await queryRows(
    reader.db,
    { slots: column.integer },
    sql`select slots from embedding_model where model_id = ${modelId}`,
  );
  return row?.slots ?? 0;
}

/** Returns the number of matching items with a vector of the model. */
export async function countMatchingVectors(
  reader: Reader,
  matching: Matching,
  modelId: string,
): Promise<number> {
  const items = unionPerOwner(
    matching,
    (owner) => sql`select asset.id ${selectMatching(reader, matching, owner)}`,
  );
  const [row] = await queryRows(
    reader.db,
    { count: column.bigint },
    sql`select count(*) as count from (${items}) item
      join embedding on embedding.subject_id = item.id
      where embedding.model = (select id from embedding_model where model_id = ${modelId})`,
  );
  return Number(row?.count ?? 0);
}

/** Returns the names (`bodyName`) of those of `ids` that match, in the order given. */
export async function listInOrder(
  reader: Reader,
  matching: Matching & { readonly withExif: boolean },
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const { withExif } = matching;
  const list = `{${ids.join(',')}}`;
  const items = unionPerOwner(matching, (owner) => {
    const only = sql`asset.id = any(${list}::uuid[])`;
    return sql`select asset.id, ${bodyName(toViewOptions(reader.session, withExif))} as name
      ${selectMatching(reader, matching, owner, { joinsExif: withExif, only })}`;
  });
  const rows = await queryRows(
    reader.db,
    { name: column.text },
    sql`select name from (${items}) item order by array_position(${list}::uuid[], id)`,
  );
  return rows.map(({ name }) => name);
}
