-- Search: text index, words, and counts of facets.

-- Facets of Timeline assets: deltas, folded by a job. Assets without a value are not counted.
create table asset_fact_count (
  owner_id uuid not null, -- account
  -- 'tagged': has a tag; 'person': shows that person, counted once per asset; 'recognised': shows any person
  kind text not null check (kind in ('place', 'camera', 'rating', 'tagged', 'person', 'recognised')),
  part_1 text, -- country; make; rating; person id; 'yes'
  part_2 text, -- state; model
  part_3 text, -- city; lens
  assets bigint not null, -- change of the number of assets
  example uuid -- an added asset: first candidate for the picture of the facet
);
create index asset_fact_count_owner on asset_fact_count (owner_id, kind);

-- Facets of a row of asset_exif.
create function facts_of(exif asset_exif) returns table (
  kind text, part_1 text, part_2 text, part_3 text
) language sql immutable as $$
  select * from (
    values ('place', $1.country, $1.state, $1.city),
      ('camera', $1.make, $1.model, $1.lens_model),
      ('rating', nullif($1.rating, 0)::text, null, null)
  ) fact (kind, part_1, part_2, part_3)
  where num_nonnulls(part_1, part_2, part_3) > 0
$$;

-- Counts assets that came to the Timeline (1) or left it (-1).
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

-- Counts a deleted asset while its metadata is still known. The purge of the trash has none on the Timeline.
create function asset_facts_left() returns trigger language plpgsql as $$
begin
  perform count_facts(array[old.id], array[old.owner_id], -1);
  return old;
end $$;
create trigger asset_facts_left before delete on asset for each row
  when (is_on_timeline(old.visibility, old.locked_at, old.trashed_at))
  execute function asset_facts_left();

-- Keeps asset_fact_count when metadata changes. Locks the assets, since their state decides what counts.
create function asset_exif_counted() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform 1 from asset where id in (select asset_id from added) order by id for no key update;
    insert into asset_fact_count
    select asset.owner_id, fact.kind, fact.part_1, fact.part_2, fact.part_3, count(*),
      (array_agg(asset.id))[1]
    from added join asset on asset.id = added.asset_id cross join lateral facts_of(added) fact
    where is_on_timeline(asset.visibility, asset.locked_at, asset.trashed_at)
    group by 1, 2, 3, 4, 5;
  elsif tg_op = 'DELETE' then
    -- With the asset: they were counted before.
    insert into asset_fact_count
    select asset.owner_id, fact.kind, fact.part_1, fact.part_2, fact.part_3, -count(*), null
    from gone join asset on asset.id = gone.asset_id cross join lateral facts_of(gone) fact
    where is_on_timeline(asset.visibility, asset.locked_at, asset.trashed_at)
    group by 1, 2, 3, 4, 5;
  elsif exists (
    select from (
      select asset_id, hash_record_extended(
        (country, state, city, make, model, lens_model, rating), 0) as content from added
      union all
      select asset_id, hash_record_extended(
        (country, state, city, make, model, lens_model, rating), 0) from gone
    ) side group by asset_id having min(content) <> max(content)
  ) then
    perform 1 from asset where id in (select asset_id from added) order by id for no key update;
    insert into asset_fact_count
    select asset.owner_id, change.kind, change.part_1, change.part_2, change.part_3, sum(sign),
      (array_agg(asset.id) filter (where sign > 0))[1]
    from (
      select added.asset_id, 1 as sign, fact.* from added cross join lateral facts_of(added) fact
      union all
      select gone.asset_id, -1, fact.* from gone cross join lateral facts_of(gone) fact
    ) change join asset on asset.id = change.asset_id
    where is_on_timeline(asset.visibility, asset.locked_at, asset.trashed_at)
    group by 1, 2, 3, 4, 5 having sum(sign) <> 0;
  end if;
  return null;
end $$;
create trigger asset_exif_counted_insert after insert on asset_exif
  referencing new table as added for each statement execute function asset_exif_counted();
create trigger asset_exif_counted_update after update on asset_exif
  referencing old table as gone new table as added for each statement
  execute function asset_exif_counted();
create trigger asset_exif_counted_delete after delete on asset_exif
  referencing old table as gone for each statement execute function asset_exif_counted();

-- Counts the first tag of an asset and the removal of the last. tag_asset_counted, which runs before, has
-- locked the assets.
create function tag_asset_facts_counted() returns trigger language plpgsql as $$
begin
  insert into asset_fact_count
  select asset.owner_id, 'tagged', 'yes', null, null,
    case tg_op when 'INSERT' then 1 else -1 end * count(*), null
  from (select asset_id, count(*) as links from links group by asset_id) change
  join asset on asset.id = change.asset_id
  where is_on_timeline(asset.visibility, asset.locked_at, asset.trashed_at)
    and (select count(*) from tag_asset where tag_asset.asset_id = change.asset_id)
      = case tg_op when 'INSERT' then change.links else 0 end
  group by 1;
  return null;
end $$;
create trigger tag_asset_facts_counted_insert after insert on tag_asset
  referencing new table as links for each statement execute function tag_asset_facts_counted();
create trigger tag_asset_facts_counted_delete after delete on tag_asset
  referencing old table as links for each statement execute function tag_asset_facts_counted();

-- Counts changed faces: the state before the statement follows from the present one and the changes.
-- face_counted, which runs before, has locked the assets.
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

-- Keeps asset_fact_count when faces change.
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

-- Search index. The words are made by the application, since PostgreSQL cannot segment every script.
create table asset_text (
  asset_id uuid primary key references asset on delete cascade, -- asset
  -- weight A: description and tags, B: places, C: file name and captions, D: recognised text and speech
  words tsvector not null
);
create index asset_text_words on asset_text using gin (words);

-- All indexed words, for spelling correction.
create table search_word (
  word text primary key -- word
);
create index search_word_trigrams on search_word using gin (word gin_trgm_ops);

-- Text that other areas found in an asset.
create table asset_text_part (
  asset_id uuid not null references asset on delete cascade, -- asset
  kind text not null check (kind in ('read', 'caption', 'spoken')), -- recognised text, caption, or speech
  text text not null, -- text
  primary key (asset_id, kind)
);

-- Assets to be indexed again. Rows are added by triggers and deleted by a job.
create table asset_text_change (
  id bigint primary key generated always as identity, -- identifier
  asset_id uuid not null -- asset
);

create function asset_text_changed() returns trigger language plpgsql as $$
begin
  insert into asset_text_change (asset_id) select id from added;
  return null;
end $$;
create trigger asset_text_changed after insert on asset
  referencing new table as added for each statement execute function asset_text_changed();

create function asset_exif_text_changed() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into asset_text_change (asset_id)
    select asset_id from added
    where description <> '' or num_nonnulls(country, state, city, make, model) > 0;
  else
    insert into asset_text_change (asset_id)
    select asset_id from (
      select asset_id, hash_record_extended(
        (description, country, state, city, make, model), 0) as content from added
      union all
      select asset_id, hash_record_extended((description, country, state, city, make, model), 0)
      from gone
    ) side group by asset_id having min(content) <> max(content);
  end if;
  return null;
end $$;
create trigger asset_exif_text_changed_insert after insert on asset_exif
  referencing new table as added for each statement execute function asset_exif_text_changed();
create trigger asset_exif_text_changed_update after update on asset_exif
  referencing old table as gone new table as added for each statement
  execute function asset_exif_text_changed();

create function asset_part_text_changed() returns trigger language plpgsql as $$
begin
  insert into asset_text_change (asset_id) select distinct asset_id from touched;
  return null;
end $$;
create trigger tag_asset_text_changed_insert after insert on tag_asset
  referencing new table as touched for each statement execute function asset_part_text_changed();
create trigger tag_asset_text_changed_delete after delete on tag_asset
  referencing old table as touched for each statement execute function asset_part_text_changed();
create trigger asset_text_part_changed_insert after insert on asset_text_part
  referencing new table as touched for each statement execute function asset_part_text_changed();
create trigger asset_text_part_changed_update after update on asset_text_part
  referencing new table as touched for each statement execute function asset_part_text_changed();
create trigger asset_text_part_changed_delete after delete on asset_text_part
  referencing old table as touched for each statement execute function asset_part_text_changed();

create function tag_text_changed() returns trigger language plpgsql as $$
begin
  insert into asset_text_change (asset_id)
  select distinct tag_asset.asset_id
  from (select id, value from added except select id, value from gone) renamed
  join tag_asset on tag_asset.tag_id = renamed.id;
  return null;
end $$;
create trigger tag_text_changed after update on tag
  referencing old table as gone new table as added for each statement
  execute function tag_text_changed();
