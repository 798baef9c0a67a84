-- For assets that came to the Timeline (1) or left it (-1), with what is known about them.
create function count_facts(asset_ids uuid[], owner_ids uuid[], sign int) returns void
  language sql as $$
  insert into asset_fact_count
  with item as materialized (
    select * from unnest(asset_ids, owner_ids) item (id, owner_id)
  ), person as materialized (
    select item.owner_id, item.id, face.person_id from item join face on face.asset_id = item.id
    where face.person_id is not null and not face.is_hidden
  )
  select item.owner_id,
    case when grouping(country) = 0 then 'place' when grouping(make) = 0 then 'camera' else 'rating' end,
    coalesce(country, make, rating::text), coalesce(state, model), coalesce(city, lens_model),
    sign * count(*), case when sign > 0 then (array_agg(item.id))[1] end
  from item join asset_exif exif on exif.asset_id = item.id
  group by grouping sets (
    (item.owner_id, country, state, city), (item.owner_id, make, model, lens_model),
    (item.owner_id, rating))
  having num_nonnulls(country, state, city, make, model, lens_model, nullif(rating, 0)) > 0
  union all
  select owner_id, 'tagged', 'yes', null, null, sign * count(*), null
  from item where exists (select from tag_asset where asset_id = item.id) group by 1
  union all
  select owner_id, 'person', person_id::text, null, null, sign * count(distinct id), null
  from person group by 1, 3
  union all
  select owner_id, 'recognised', 'yes', null, null, sign * count(distinct id), null
  from person group by 1
$$;

create function asset_facts_counted() returns trigger language plpgsql as $$
declare
  came uuid[];
  came_to uuid[];
  went uuid[];
  went_from uuid[];
begin
  -- One pass over both sides instead of a join: the plan is made once, for one row or for a million.
  select array_agg(id) filter (where sign > 0), array_agg(owner_id) filter (where sign > 0),
    array_agg(id) filter (where sign < 0), array_agg(owner_id) filter (where sign < 0)
  into came, came_to, went, went_from
  from (
    select id, owner_id, sum(sign) as sign from (
      select id, owner_id, 1 as sign from added where is_on_timeline(visibility, locked_at, trashed_at)
      union all
      select id, owner_id, -1 from gone where is_on_timeline(visibility, locked_at, trashed_at)
    ) side group by id, owner_id having sum(sign) <> 0
  ) moved;
  if came is not null then perform count_facts(came, came_to, 1); end if;
  if went is not null then perform count_facts(went, went_from, -1); end if;
  return null;
end $$;
create trigger asset_facts_counted after update on asset
  referencing old table as gone new table as added for each statement
  execute function asset_facts_counted();

-- Before the rows of asset_exif go with the asset. Whoever empties the trash does not come here.
create function asset_facts_left() returns trigger language plpgsql as $$
begin
  perform count_facts(array[old.id], array[old.owner_id], -1);
  return old;
end $$;
create trigger asset_facts_left before delete on asset for each row
  when (is_on_timeline(old.visibility, old.locked_at, old.trashed_at))
  execute function asset_facts_left();

-- From what is there now and what this statement has changed follows what was there before.
-- face_counted, which runs before, holds the assets.
create function count_face_facts(asset_ids uuid[], person_ids uuid[], signs int[])
  returns void language sql as $$
  insert into asset_fact_count
  with side as materialized (
    select asset.owner_id, side.asset_id, side.person_id, side.sign
    from unnest(asset_ids, person_ids, signs) side (asset_id, person_id, sign)
    join asset on asset.id = side.asset_id
    where is_on_timeline(asset.visibility, asset.locked_at, asset.trashed_at)
  ), item as materialized (
    -- One pass over both instead of a join: the plan is made once, for one face or for a million.
    select owner_id, asset_id, person_id, sum(faces) as faces, sum(sign) as sign from (
      select owner_id, asset_id, person_id, 0 as faces, sign from side
      union all
      select face.owner_id, face.asset_id, face.person_id, 1, 0 from face
      where face.asset_id in (select asset_id from side) and face.person_id is not null
        and not face.is_hidden
    ) one group by 1, 2, 3
  )
  select owner_id, 'person', person_id::text, null, null,
    sum((faces > 0)::int - (faces - sign > 0)::int) as change, null::uuid
  from item group by 1, 3 having sum((faces > 0)::int - (faces - sign > 0)::int) <> 0
  union all
  select owner_id, 'recognised', 'yes', null, null, sum(change), null
  from (
    select owner_id, (sum(faces) > 0)::int - (sum(faces) - sum(sign) > 0)::int as change
    from item group by owner_id, asset_id
  ) any_change
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
