import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';
import type { MemorySubject, MemoryType } from '../../../db/tables/memories.ts';

/** A generated memory. */
export type Draft = {
  /** See memory.key. */
  readonly key: string;
  readonly type: MemoryType;
  readonly data: Readonly<Record<string, unknown>>;
  readonly subject: MemorySubject;
  readonly personId: string | null;
  readonly petId: string | null;
  readonly memoryAt: Date;
  readonly showAt: Date;
  readonly hideAt: Date;
  readonly assetIds: readonly string[];
};

/** Adds memories; those with a key that the account has or had are left out. The assets are locked. */
export async function saveDrafts(
  db: Db,
  ownerId: string,
  drafts: readonly Draft[],
  now: Date,
): Promise<void> {
  if (drafts.length === 0) return;
  await queryRows(
    db,
    sql`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(drafts)}::jsonb) given (key text, type text,
        data jsonb, subject jsonb, "personId" uuid, "petId" uuid, "memoryAt" timestamptz,
        "showAt" timestamptz, "hideAt" timestamptz, "assetIds" uuid[])
    ), added as (
      insert into memory (owner_id, key, type, data, subject, person_id, pet_id, memory_at, show_at,
        hide_at, created_at, updated_at)
      select ${ownerId}::uuid, key, type, data, subject, "personId", "petId", "memoryAt", "showAt",
        "hideAt", at, at
      from given cross join (select ${now.toISOString()}::timestamptz as at) clock
      order by "showAt", "memoryAt", key
      on conflict (owner_id, key) where key is not null do nothing returning id, key
    )
    insert into memory_asset (memory_id, asset_id, position)
    select added.id, member.asset_id, member.position - 1
    from added join given using (key)
    cross join lateral unnest("assetIds") with ordinality member (asset_id, position)
    order by member.asset_id`,
  );
}

/** Records a generation: the next one starts on another day, or after a large import. */
export async function saveGeneration(
  db: Db,
  { ownerId, day, assets, now }: { ownerId: string; day: string; assets: number; now: Date },
): Promise<void> {
  await queryRows(
    db,
    sql`
    insert into memory_generation (owner_id, day, assets, generated_at)
    values (${ownerId}, ${day}, ${assets}, ${now.toISOString()})
    on conflict (owner_id) do update set day = excluded.day, assets = excluded.assets,
      generated_at = excluded.generated_at`,
  );
}

/** Returns the keys of all generated memories of an account, also of those that were deleted. */
export async function listKeys(db: Db, ownerId: string): Promise<Set<string>> {
  const rows = await queryRows(
    db,
    { key: column.text },
    sql`select key from memory where owner_id = ${ownerId}::uuid and key is not null`,
  );
  return new Set(rows.map(({ key }) => key));
}

/** Returns the model whose vectors tell best whether two pictures show the same; undefined: none. */
export async function findFeatureModel(db: Db): Promise<string | undefined> {
  const [row] = await queryRows(
    db,
    { id: column.text },
    sql`
    select model_id as id from analysis_model where task in ('feature', 'embedding')
    order by task = 'feature' desc limit 1`,
  );
  return row?.id;
}
