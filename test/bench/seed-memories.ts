import type { Sql } from 'postgres';

type Memories = {
  /** '2026-01-01': the day before the first that memories are shown. */
  readonly firstDay: string;
  readonly days: number;
  /** Each has a memory a day. */
  readonly years: number;
};

const MEMBERS = 12;

/** Inserts memories of every day with twelve assets each. */
export async function insertMemories(
  sql: Sql,
  userId: string,
  { firstDay, days, years }: Memories,
): Promise<void> {
  await sql`
    insert into memory (owner_id, type, key, data, memory_at, show_at, hide_at, created_at)
    select ${userId}, 'on_this_day', day || ' ' || year, jsonb_build_object('year', year),
      make_date(year, 1, 1) + day, ${firstDay}::date + day, ${firstDay}::timestamp + day * interval '1 day'
        + interval '23:59:59', ${firstDay}::date + day
    from generate_series(1, ${days}::int) day cross join generate_series(2016, ${2015 + years}::int) year`;
  await sql`
    with shown as (
      select array_agg(id) as ids from (
        select id from asset where visibility = 'timeline' and trashed_at is null
        limit ${days * years * MEMBERS}) asset
    ), numbered as (select id, row_number() over () - 1 as n from memory)
    insert into memory_asset (memory_id, asset_id, position)
    select numbered.id, ids[1 + (numbered.n * ${MEMBERS} + place) % cardinality(ids)], place
    from numbered cross join shown cross join generate_series(0, ${MEMBERS - 1}) place`;
  await sql`analyze memory, memory_asset`;
}
