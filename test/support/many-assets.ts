import { randomUUID } from 'node:crypto';
import type { Sql } from 'postgres';

/**
 * Adds many assets by one statement, each with its own bytes and a minute older than the previous one.
 * Returns their ids, newest first.
 */
export async function addManyAssets(
  { sql }: { readonly sql: Sql },
  ownerId: string,
  count: number,
  set: { readonly trashedAt?: Date; readonly visibility?: string; readonly fileName?: string } = {},
): Promise<string[]> {
  const run = randomUUID();
  const rows = await sql<{ id: string }[]>`
    with made as materialized (
      select n, sha256(convert_to(${run} || n, 'UTF8')) as digest
      from generate_series(1, ${count}::int) n
    ), kept as (
      insert into original (sha256, size) select digest, 1 from made
    ), added as (
      insert into asset (owner_id, type, sha256, sha1, file_name, file_size, visibility, trashed_at,
        taken_at, local_taken_at, file_modified_at)
      select ${ownerId}::uuid, 'IMAGE', digest, substring(digest for 20),
        coalesce(${set.fileName ?? null}, n || '.jpg'), 1,
        ${set.visibility ?? 'timeline'}, ${set.trashedAt?.toISOString() ?? null}::timestamptz,
        timestamptz '2026-01-02 03:04:05Z' - n * interval '1 minute',
        timestamp '2026-01-02 03:04:05' - n * interval '1 minute', now()
      from made returning id, local_taken_at
    )
    select id from added order by local_taken_at desc`;
  return rows.map((row) => row.id);
}
