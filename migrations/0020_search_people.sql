-- How many Timeline items show a person, each once however many faces, and how many show anyone who is
-- told apart. Facts as those of migration 0015: 'person' with the id, 'recognised'.
alter table asset_fact_count drop constraint asset_fact_count_kind_check;
alter table asset_fact_count add constraint asset_fact_count_kind_check
  check (kind in ('place', 'camera', 'rating', 'tagged', 'person', 'recognised'));

create or replace function count_facts(asset_ids uuid[], sign int) returns void language sql as $$
  insert into asset_fact_count
  select asset.owner_id, fact.kind, fact.part_1, fact.part_2, fact.part_3, sign * count(*),
    case when sign > 0 then (array_agg(asset.id))[1] end
  from asset join asset_exif exif on exif.asset_id = asset.id cross join lateral facts_of(exif) fact
  where asset.id = any(asset_ids)
  group by 1, 2, 3, 4, 5
  union all
  select owner_id, 'tagged', 'yes', null, null, sign * count(*), null
  from asset where id = any(asset_ids) and exists (select from tag_asset where asset_id = asset.id)
  group by 1
  union all
  select asset.owner_id, 'person', face.person_id::text, null, null,
    sign * count(distinct asset.id), null
  from asset join face on face.asset_id = asset.id
  where asset.id = any(asset_ids) and face.person_id is not null and not face.is_hidden
  group by 1, 3
  union all
  select asset.owner_id, 'recognised', 'yes', null, null, sign * count(distinct asset.id), null
  from asset join face on face.asset_id = asset.id
  where asset.id = any(asset_ids) and face.person_id is not null and not face.is_hidden
  group by 1
$$;

-- From what is there now and what this statement has changed follows what was there before.
-- face_counted, which runs before, holds the assets.
create function count_face_facts(asset_ids uuid[], person_ids uuid[], signs int[])
  returns void language sql as $$
  insert into asset_fact_count
  with side as (
    select * from unnest(asset_ids, person_ids, signs) side (asset_id, person_id, sign)
  ), shown as (
    select asset.id, asset.owner_id from asset
    where id = any(asset_ids) and is_on_timeline(visibility, locked_at, trashed_at)
  ), now_there as materialized (
    select face.asset_id, face.person_id, count(*) as faces from face
    where face.asset_id in (select id from shown) and face.person_id is not null
      and not face.is_hidden
    group by 1, 2
  ), person_change as (
    select side.asset_id, side.person_id,
      (coalesce(max(now_there.faces), 0) > 0)::int
        - (coalesce(max(now_there.faces), 0) - sum(side.sign) > 0)::int as change
    from side left join now_there
      on now_there.asset_id = side.asset_id and now_there.person_id = side.person_id
    group by 1, 2
  ), any_change as (
    select side.asset_id,
      (coalesce((select sum(faces) from now_there where now_there.asset_id = side.asset_id), 0) > 0)::int
        - (coalesce((select sum(faces) from now_there where now_there.asset_id = side.asset_id), 0)
          - sum(side.sign) > 0)::int as change
    from side group by 1
  )
  select shown.owner_id, 'person', person_change.person_id::text, null, null, sum(change), null::uuid
  from person_change join shown on shown.id = person_change.asset_id
  group by 1, 3 having sum(change) <> 0
  union all
  select shown.owner_id, 'recognised', 'yes', null, null, sum(change), null
  from any_change join shown on shown.id = any_change.asset_id
  group by 1 having sum(change) <> 0
$$;

create function face_facts_counted() returns trigger language plpgsql as $$
declare
  asset_ids uuid[];
  person_ids uuid[];
  signs int[];
begin
  if tg_op = 'INSERT' then
    select array_agg(asset_id), array_agg(person_id), array_agg(1)
    into asset_ids, person_ids, signs
    from added where person_id is not null and not is_hidden;
  elsif tg_op = 'DELETE' then
    select array_agg(asset_id), array_agg(person_id), array_agg(-1)
    into asset_ids, person_ids, signs
    from gone where person_id is not null and not is_hidden;
  else
    select array_agg(asset_id), array_agg(person_id), array_agg(sign)
    into asset_ids, person_ids, signs
    from (
      select asset_id, person_id, sum(sign)::int as sign from (
        select asset_id, person_id, 1 as sign from added where person_id is not null and not is_hidden
        union all
        select asset_id, person_id, -1 from gone where person_id is not null and not is_hidden
      ) side group by asset_id, person_id having sum(sign) <> 0
    ) moved;
  end if;
  if asset_ids is not null then perform count_face_facts(asset_ids, person_ids, signs); end if;
  return null;
end $$;
create trigger face_facts_counted_insert after insert on face
  referencing new table as added for each statement execute function face_facts_counted();
create trigger face_facts_counted_update after update on face
  referencing old table as gone new table as added for each statement
  execute function face_facts_counted();
create trigger face_facts_counted_delete after delete on face
  referencing old table as gone for each statement execute function face_facts_counted();

insert into asset_fact_count
select asset.owner_id, 'person', face.person_id::text, null, null, count(distinct asset.id), null::uuid
from asset join face on face.asset_id = asset.id
where is_on_timeline(asset.visibility, asset.locked_at, asset.trashed_at)
  and face.person_id is not null and not face.is_hidden
group by 1, 3
union all
select asset.owner_id, 'recognised', 'yes', null, null, count(distinct asset.id), null
from asset join face on face.asset_id = asset.id
where is_on_timeline(asset.visibility, asset.locked_at, asset.trashed_at)
  and face.person_id is not null and not face.is_hidden
group by 1;
