-- The days of capture of what is archived: those of the Timeline are 'taken' without them.
alter table asset_day_count drop constraint asset_day_count_kind_check;
alter table asset_day_count
  add constraint asset_day_count_kind_check check (kind in ('upload', 'taken', 'archived'));
create or replace function asset_counted() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into asset_count
    select owner_id, local_month, type, visibility, locked_at is not null, trashed_at is not null,
      is_favorite, is_stack_child, count(*), sum(file_size), (random() * 9e18)::bigint,
      bit_xor(hash_bits(sha256))
    from added group by 1, 2, 3, 4, 5, 6, 7, 8;
    insert into asset_day_count
    select owner_id, kind, day, count(*) from added cross join lateral (
      values ('upload', (created_at at time zone 'utc')::date), ('taken', local_day),
        ('archived', case visibility when 'archive' then local_day end)) at (kind, day)
    where visibility <> 'hidden' and locked_at is null and trashed_at is null and day is not null
    group by 1, 2, 3;
  elsif tg_op = 'DELETE' then
    insert into asset_count
    select owner_id, local_month, type, visibility, locked_at is not null, trashed_at is not null,
      is_favorite, is_stack_child, -count(*), -sum(file_size), (random() * 9e18)::bigint,
      bit_xor(hash_bits(sha256))
    from gone group by 1, 2, 3, 4, 5, 6, 7, 8;
    insert into asset_day_count
    select owner_id, kind, day, -count(*) from gone cross join lateral (
      values ('upload', (created_at at time zone 'utc')::date), ('taken', local_day),
        ('archived', case visibility when 'archive' then local_day end)) at (kind, day)
    where visibility <> 'hidden' and locked_at is null and trashed_at is null and day is not null
    group by 1, 2, 3;
  else
    -- A change that moves no count still leaves a row of zeros: its stamp makes the new version.
    -- No change touches the bytes of an asset, so `contents` stays.
    insert into asset_count
    select owner_id, local_month, type, visibility, is_locked, is_trashed, is_favorite,
      is_stack_child, sum(sign), sum(sign * file_size), (random() * 9e18)::bigint, 0
    from (
      select owner_id, local_month, type, visibility, locked_at is not null as is_locked,
        trashed_at is not null as is_trashed, is_favorite, is_stack_child, 1 as sign, file_size
      from added
      union all
      select owner_id, local_month, type, visibility, locked_at is not null, trashed_at is not null,
        is_favorite, is_stack_child, -1, file_size
      from gone
    ) change
    group by 1, 2, 3, 4, 5, 6, 7, 8;
    insert into asset_day_count
    select owner_id, kind, day, sum(sign) from (
      select owner_id, created_at, local_day, visibility, 1 as sign from added
      where visibility <> 'hidden' and locked_at is null and trashed_at is null
      union all
      select owner_id, created_at, local_day, visibility, -1 from gone
      where visibility <> 'hidden' and locked_at is null and trashed_at is null
    ) change cross join lateral (
      values ('upload', (created_at at time zone 'utc')::date), ('taken', local_day),
        ('archived', case visibility when 'archive' then local_day end)) at (kind, day)
    where day is not null
    group by 1, 2, 3 having sum(sign) <> 0;
  end if;
  return null;
end $$;

insert into asset_day_count
select owner_id, 'archived', local_day, count(*) from asset
where visibility = 'archive' and locked_at is null and trashed_at is null group by 1, 3;

-- How many Timeline items were taken at a place or with a camera, have a rating, or any tag. What is
-- not known about an item is not counted: it is the rest. Delta rows as those of asset_count.
create table asset_fact_count (
  owner_id uuid not null,
  kind text not null check (kind in ('place', 'camera', 'rating', 'tagged')),
  -- Country, state, city; make, model, lens; the number; 'yes'.
  part_1 text,
  part_2 text,
  part_3 text,
  assets bigint not null,
  -- One that came: where to look first for a picture that stands for them.
  example uuid
);
create index asset_fact_count_owner on asset_fact_count (owner_id, kind);

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

-- For assets that came to the Timeline (1) or left it (-1), with what is known about them.
create function count_facts(asset_ids uuid[], sign int) returns void language sql as $$
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
$$;

create or replace function asset_tags_counted() returns trigger language plpgsql as $$
declare
  came uuid[];
  went uuid[];
begin
  if tg_op = 'DELETE' then
    went := array(select id from gone where is_on_timeline(visibility, locked_at, trashed_at));
  else
    -- One pass over both sides instead of a join: the plan is made once, for one row or for a million.
    select array_agg(id) filter (where sign > 0), array_agg(id) filter (where sign < 0)
    into came, went
    from (
      select id, sum(sign) as sign from (
        select id, 1 as sign from added where is_on_timeline(visibility, locked_at, trashed_at)
        union all
        select id, -1 from gone where is_on_timeline(visibility, locked_at, trashed_at)
      ) side group by id having sum(sign) <> 0
    ) moved;
  end if;
  if cardinality(came) > 0 then
    perform count_tags(came, 1);
    perform count_facts(came, 1);
  end if;
  if cardinality(went) > 0 then
    perform count_tags(went, -1);
    -- What was known about deleted ones is gone by now: they were counted before.
    if tg_op = 'UPDATE' then perform count_facts(went, -1); end if;
  end if;
  if tg_op = 'DELETE' then delete from tag_asset where asset_id in (select id from gone); end if;
  return null;
end $$;

-- Before the rows of asset_exif go with the asset. Whoever empties the trash does not come here.
create function asset_facts_left() returns trigger language plpgsql as $$
begin
  perform count_facts(array[old.id], -1);
  return old;
end $$;
create trigger asset_facts_left before delete on asset for each row
  when (is_on_timeline(old.visibility, old.locked_at, old.trashed_at))
  execute function asset_facts_left();

-- Whoever changes what is known about an asset holds the asset while counting: it depends on where
-- the asset is.
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

-- The first tag of an asset, or the last one. tag_asset_counted, which runs before, holds the assets.
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

insert into asset_fact_count
select asset.owner_id, fact.kind, fact.part_1, fact.part_2, fact.part_3, count(*),
  (array_agg(asset.id))[1]
from asset join asset_exif exif on exif.asset_id = asset.id cross join lateral (
  values ('place', exif.country, exif.state, exif.city),
    ('camera', exif.make, exif.model, exif.lens_model),
    ('rating', nullif(exif.rating, 0)::text, null, null)
) fact (kind, part_1, part_2, part_3)
where is_on_timeline(asset.visibility, asset.locked_at, asset.trashed_at)
  and num_nonnulls(fact.part_1, fact.part_2, fact.part_3) > 0
group by 1, 2, 3, 4, 5
union all
select owner_id, 'tagged', 'yes', null, null, count(*), null from asset
where is_on_timeline(visibility, locked_at, trashed_at)
  and exists (select from tag_asset where asset_id = asset.id)
group by 1;

-- Searches by one of these, however few have it.
create index asset_exif_city_name on asset_exif (city) where city is not null;
create index asset_exif_state on asset_exif (state) where state is not null;
create index asset_exif_make on asset_exif (make) where make is not null;
create index asset_exif_model on asset_exif (model) where model is not null;
create index asset_exif_lens on asset_exif (lens_model) where lens_model is not null;
create index asset_exif_rating on asset_exif (rating, asset_id) where rating <> 0;
create index asset_type on asset (owner_id, type, taken_at desc, id desc)
  where type <> 'IMAGE' and locked_at is null;
create index asset_size on asset (owner_id, file_size desc, id desc)
  where visibility = 'timeline' and locked_at is null and trashed_at is null;

-- A viewer is shown the pictures of this partner, not where they were taken.
alter table partner add column hides_places boolean not null default false;

-- The words by which an asset is found, made by the application: PostgreSQL cannot tell words apart
-- in every script. Weight A: description and tags; B: places; C: the name of the file and captions; D:
-- what was read or heard in it.
create table asset_text (
  asset_id uuid primary key references asset on delete cascade,
  words tsvector not null
);
create index asset_text_words on asset_text using gin (words);

-- All words there are, to find the ones meant by a typing error.
create table search_word (word text primary key);
create index search_word_trigrams on search_word using gin (word gin_trgm_ops);

-- What other areas have found in an asset: text in the picture, captions, speech.
create table asset_text_part (
  asset_id uuid not null references asset on delete cascade,
  kind text not null check (kind in ('read', 'caption', 'spoken')),
  text text not null,
  primary key (asset_id, kind)
);

-- Assets whose words are to be made again. Rows are only added; a job takes them away.
create table asset_text_change (
  id bigint primary key generated always as identity,
  asset_id uuid not null
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
  select distinct tag_asset.asset_id from added join gone using (id)
  join tag_asset on tag_asset.tag_id = added.id where added.value <> gone.value;
  return null;
end $$;
create trigger tag_text_changed after update on tag
  referencing old table as gone new table as added for each statement
  execute function tag_text_changed();

insert into asset_text_change (asset_id) select id from asset;
