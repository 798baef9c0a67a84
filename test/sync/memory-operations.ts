import { pick, pickRow, type Place } from './pick.ts';

const TYPES = ['on_this_day', 'on_this_day', 'on_this_day', 'custom'] as const;

const onMemory =
  (change: string) =>
  async (place: Place, a: number): Promise<void> => {
    const memory = await pick(place, 'memory', a);
    if (memory)
      await place.database.sql.unsafe(`update memory set ${change} where id = $1`, [memory['id']]);
  };

/** Operations on memories. */
export const MEMORY_OPERATIONS = {
  async remember({ database: { sql }, people }: Place, a: number, b: number) {
    const owner = people[a % people.length]!.id;
    await sql`
      with added as (
        insert into memory (owner_id, type, data, memory_at)
        values (${owner}, ${TYPES[b % 4]!}, ${JSON.stringify({ year: 2000 + (b % 20) })}::text::jsonb,
          ${`20${10 + (a % 10)}-0${1 + (b % 2)}-01T00:00:00Z`})
        returning id)
      insert into memory_asset (memory_id, asset_id, position)
      select added.id, asset.id, 0 from added, (
        select id from asset where owner_id = ${owner} order by id offset ${b % 3} limit ${b % 4}) asset`;
  },
  saveMemory: onMemory('is_saved = not is_saved'),
  hideMemory: onMemory('is_hidden = not is_hidden'),
  trashMemory: onMemory('deleted_at = case when deleted_at is null then now() end'),
  async dropMemory(place: Place, a: number) {
    const memory = await pick(place, 'memory', a);
    if (memory) await place.database.sql`delete from memory where id = ${memory['id']}`;
  },
  async addToMemory(place: Place, a: number, b: number) {
    const memory = await pick(place, 'memory', a);
    const asset = memory && (await pickRow(place, 'asset', b, memory['owner_id']));
    if (!memory || !asset) return;
    await place.database.sql`insert into memory_asset (memory_id, asset_id, position)
      values (${memory['id']}, ${asset['id']}, 0) on conflict do nothing`;
  },
  async takeFromMemory(place: Place, a: number) {
    const member = await pick(place, 'memory_asset', a, 'asset_id');
    if (!member) return;
    await place.database.sql`delete from memory_asset
      where memory_id = ${member['memory_id']} and asset_id = ${member['asset_id']}`;
  },
  async showLess({ database: { sql }, people }: Place, a: number, b: number) {
    const rule = { owner: people[a % people.length]!.id, day: `0${1 + (b % 2)}-01` };
    const gone = await sql`
      delete from memory_rule where owner_id = ${rule.owner} and month_day = ${rule.day}
      returning id`;
    if (gone.length > 0) return;
    await sql`insert into memory_rule (owner_id, kind, month_day)
      values (${rule.owner}, 'date', ${rule.day})`;
  },
};
