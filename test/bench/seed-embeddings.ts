import type { Sql } from 'postgres';

type Model = { readonly modelId: string; readonly dimension: number };

const POOL = 4096;

/**
 * Inserts an embedding for each asset. They are some thousand different random ones, which cost as much as
 * others.
 */
export async function insertEmbeddings(sql: Sql, { modelId, dimension }: Model): Promise<void> {
  const pool = Array.from({ length: POOL }, () => {
    const vector = Float32Array.from({ length: dimension }, () => Math.random() - 0.5);
    const length = Math.hypot(...vector);
    const half = Float16Array.from(vector, (value) => value / length);
    return Buffer.from(half.buffer).toString('hex');
  });
  await sql.begin(async (tx) => {
    await tx`create temp table embedding_pool on commit drop as
      select (n - 1)::int as n, decode(hex, 'hex') as vector
      from unnest(${pool}::text[]) with ordinality pool (hex, n)`;
    await tx`insert into embedding_model (model_id, dimension, slots)
      values (${modelId}, ${dimension}, (select count(*) from asset))`;
    await tx`insert into embedding (model, subject_id, kind, slot, vector)
      select model.id, item.id, 'asset', item.slot, pool.vector
      from (select id, (row_number() over () - 1)::int as slot from asset) item
      join embedding_pool pool on pool.n = item.slot % ${POOL}
      cross join (select id from embedding_model where model_id = ${modelId}) model`;
  });
  await sql`vacuum analyze embedding`;
}
