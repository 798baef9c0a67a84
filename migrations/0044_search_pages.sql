-- Search.

-- Relations, for sentences as 'my daughter' in the search.
create table person_relation (
  person_id uuid primary key references person on delete cascade, -- person
  relation text not null -- one of RELATIONS in src/areas/people/relations.ts
);

-- A search as it was written and narrowed: understood anew each time.
create table saved_search (
  id uuid primary key default gen_random_uuid(), -- search
  owner_id uuid not null references app_user on delete cascade, -- account that saved it
  name text not null, -- name given by the account
  words text not null, -- what was written
  chips jsonb not null, -- conditions that were chosen besides, as [{field, label, value}]
  sort text, -- order that was chosen; null: the default one
  created_at timestamptz not null default now() -- time of saving
);
-- The searches of an account, the newest first.
create index saved_search_owner on saved_search (owner_id, created_at desc, id desc);

-- Queues assets whose metadata has other words, or tells another way of making.
create or replace function queue_exif_text(before asset_exif[], after asset_exif[]) returns void
  language plpgsql as $$
begin
  insert into asset_text_change (asset_id)
  select asset_id from (
    select asset_id, hash_record_extended((description, country, state, city, make, model,
      lens_model, burst_id, projection_type, fps, exif_width, exif_height), 0) as content
    from unnest(after)
    union all
    select asset_id, hash_record_extended((description, country, state, city, make, model,
      lens_model, burst_id, projection_type, fps, exif_width, exif_height), 0)
    from unnest(before)
    -- Not yet known is as good as empty.
    union all
    select asset_id, hash_record_extended((''::text, null::text, null::text, null::text, null::text,
      null::text, null::text, null::text, null::text, null::double precision, null::int, null::int), 0)
    from unnest(after) where cardinality(before) = 0
  ) side group by asset_id having min(content) <> max(content);
end $$;

insert into asset_text_change (asset_id) select id from asset;

-- The text index knows the month of capture: of words and labels that many assets have, the newest ones are found
-- without reading the others.

-- Rows are written at once, and the index is built anew: row by row it takes several times as long.
drop index asset_text_words;
update asset_text set words = words || array_to_tsvector(array[':month:' || asset.local_month])
from asset where asset.id = asset_text.asset_id;
-- The search for words.
create index asset_text_words on asset_text using gin (words);

-- The newest items of an account by camera, lens or place are one range of an index: with the owner and the date beside
-- the values, neither what others have of them nor how rare they are costs anything.
alter table asset_exif add column asset_owner_id uuid; -- asset.owner_id
alter table asset_exif add column asset_taken_at timestamptz; -- asset.taken_at, kept by exif_placed and move_links
-- Each search reads the owner's part; that of descriptions as they are written is replaced below.
drop index asset_exif_city;
drop index asset_exif_city_name;
drop index asset_exif_state;
drop index asset_exif_make;
drop index asset_exif_model;
drop index asset_exif_lens;
drop index asset_exif_description;
-- Triggers would take all rows at once.
alter table asset_exif disable trigger user;
update asset_exif set asset_owner_id = asset.owner_id, asset_taken_at = asset.taken_at from asset where id = asset_id;
alter table asset_exif enable trigger user;

-- A model has one make, and a city one country: without it, both together would be taken for rare.
create statistics asset_exif_camera (dependencies) on make, model from asset_exif;
create statistics asset_exif_place (dependencies) on city, state, country from asset_exif;

create function exif_placed() returns trigger language plpgsql as $$
begin
  -- Locked: a change of the date in another transaction copies it to rows that it sees.
  select owner_id, taken_at into new.asset_owner_id, new.asset_taken_at from asset where id = new.asset_id
  for no key update;
  return new;
end $$;
create trigger asset_exif_placed before insert on asset_exif
  for each row execute function exif_placed();

-- Logs changed metadata; owner and date are those of the asset, whose changes are logged by themselves.
create or replace function log_exif(before asset_exif[], after asset_exif[]) returns void language plpgsql as $$
begin
  insert into change (scope_id, kind, subject_id)
  with side as (
    select exif.asset_id, hash_record_extended(
      jsonb_populate_record(exif, '{"asset_owner_id": null, "asset_taken_at": null}'), 0) as content
    from (select * from unnest(before) union all select * from unnest(after)) exif
  ), changed as materialized (
    select asset_id from side group by asset_id having min(content) <> max(content) or count(*) = 1
  )
  select asset.owner_id, 'exif', asset.id from changed join asset on asset.id = changed.asset_id
  union all
  select album_asset.album_id, 'exif', album_asset.asset_id
  from changed join album_asset on album_asset.asset_id = changed.asset_id;
end $$;

-- Copies the new dates of assets to asset_exif, and the new months to album_asset, tag_asset and face; queues those for
-- the text index.
create or replace function move_links(before asset[], after asset[]) returns void language plpgsql as $$
declare
  ids uuid[] := array(
    select id from (
      select id, local_month from unnest(before) union all select id, local_month from unnest(after)
    ) side group by id having min(local_month) <> max(local_month));
  dated uuid[] := array(
    select id from (
      select id, taken_at from unnest(before) union all select id, taken_at from unnest(after)
    ) side group by id having min(taken_at) <> max(taken_at));
begin
  -- The triggers of asset_exif and of face run for every statement, also for one without rows.
  if exists (select from asset_exif where asset_id = any(dated)) then
    update asset_exif set asset_taken_at = asset.taken_at from asset
    where asset_id = any(dated) and asset.id = asset_id;
  end if;
  if cardinality(ids) = 0 then return; end if;
  update album_asset set local_month = asset.local_month from asset
  where asset_id = any(ids) and asset.id = asset_id;
  update tag_asset set local_month = asset.local_month from asset
  where asset_id = any(ids) and asset.id = asset_id;
  if exists (select from face where asset_id = any(ids) and local_month is not null) then
    update face set local_month = asset.local_month from asset
    where asset_id = any(ids) and asset.id = asset_id and face.local_month is not null;
  end if;
  insert into asset_text_change (asset_id) select unnest(ids);
end $$;

-- Search by one of these, newest first.
create index asset_exif_owner_city on asset_exif (asset_owner_id, city, asset_taken_at desc, asset_id desc)
  where city is not null;
create index asset_exif_owner_state on asset_exif (asset_owner_id, state, asset_taken_at desc, asset_id desc)
  where state is not null;
create index asset_exif_owner_country on asset_exif (asset_owner_id, country, asset_taken_at desc, asset_id desc)
  where country is not null;
create index asset_exif_owner_make on asset_exif (asset_owner_id, make, asset_taken_at desc, asset_id desc)
  where make is not null;
create index asset_exif_owner_model on asset_exif (asset_owner_id, model, asset_taken_at desc, asset_id desc)
  where model is not null;
create index asset_exif_owner_lens on asset_exif (asset_owner_id, lens_model, asset_taken_at desc, asset_id desc)
  where lens_model is not null;
-- Archived videos by date and all archived items by size, merged with those of the Timeline: most archives have few.
create index asset_archive_type on asset (owner_id, type, taken_at desc, id desc)
  where type <> 'IMAGE' and visibility = 'archive' and locked_at is null and trashed_at is null;
create index asset_archive_size on asset (owner_id, file_size desc, id desc)
  where visibility = 'archive' and locked_at is null and trashed_at is null;

-- Favorites in the order of capture: searches for them, alone or with a camera or a place, and those of the map. Few
-- assets are favorites, and none when it comes: the index costs an upload nothing.
create index asset_favorite_taken on asset (owner_id, taken_at desc, id desc)
  where is_favorite and locked_at is null and trashed_at is null;

-- Letters without case, accents and width: names are compared so.

-- As fold of src/core/fold-text.ts, letter by letter. The range is that of all combining marks. Strict, so that a condition
-- on a description makes the join of the description an inner one.
create function fold_text(given text) returns text language sql immutable strict parallel safe as $$
  select case when octet_length(given) = length(given) then lower(given) else
    replace(replace(replace(replace(translate(lower(regexp_replace(normalize(given, nfkd),
      '[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1-\u05c2\u05c4-\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u07eb-\u07f3\u07fd\u0816-\u0819\u081b-\u0823\u0825-\u0827\u0829-\u082d\u0859-\u085b\u0897-\u089f\u08ca-\u08e1\u08e3-\u0903\u093a-\u093c\u093e-\u094f\u0951-\u0957\u0962-\u0963\u0981-\u0983\u09bc\u09be-\u09c4\u09c7-\u09c8\u09cb-\u09cd\u09d7\u09e2-\u09e3\u09fe\u0a01-\u0a03\u0a3c\u0a3e-\u0a42\u0a47-\u0a48\u0a4b-\u0a4d\u0a51\u0a70-\u0a71\u0a75\u0a81-\u0a83\u0abc\u0abe-\u0ac5\u0ac7-\u0ac9\u0acb-\u0acd\u0ae2-\u0ae3\u0afa-\u0aff\u0b01-\u0b03\u0b3c\u0b3e-\u0b44\u0b47-\u0b48\u0b4b-\u0b4d\u0b55-\u0b57\u0b62-\u0b63\u0b82\u0bbe-\u0bc2\u0bc6-\u0bc8\u0bca-\u0bcd\u0bd7\u0c00-\u0c04\u0c3c\u0c3e-\u0c44\u0c46-\u0c48\u0c4a-\u0c4d\u0c55-\u0c56\u0c62-\u0c63\u0c81-\u0c83\u0cbc\u0cbe-\u0cc4\u0cc6-\u0cc8\u0cca-\u0ccd\u0cd5-\u0cd6\u0ce2-\u0ce3\u0cf3\u0d00-\u0d03\u0d3b-\u0d3c\u0d3e-\u0d44\u0d46-\u0d48\u0d4a-\u0d4d\u0d57\u0d62-\u0d63\u0d81-\u0d83\u0dca\u0dcf-\u0dd4\u0dd6\u0dd8-\u0ddf\u0df2-\u0df3\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u0f18-\u0f19\u0f35\u0f37\u0f39\u0f3e-\u0f3f\u0f71-\u0f84\u0f86-\u0f87\u0f8d-\u0f97\u0f99-\u0fbc\u0fc6\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d\u135d-\u135f\u1712-\u1715\u1732-\u1734\u1752-\u1753\u1772-\u1773\u17b4-\u17d3\u17dd\u180b-\u180d\u180f\u1885-\u1886\u18a9\u1920-\u192b\u1930-\u193b\u1a17-\u1a1b\u1a55-\u1a5e\u1a60-\u1a7c\u1a7f\u1ab0-\u1add\u1ae0-\u1aeb\u1b00-\u1b04\u1b34-\u1b44\u1b6b-\u1b73\u1b80-\u1b82\u1ba1-\u1bad\u1be6-\u1bf3\u1c24-\u1c37\u1cd0-\u1cd2\u1cd4-\u1ce8\u1ced\u1cf4\u1cf7-\u1cf9\u1dc0-\u1dff\u20d0-\u20f0\u2cef-\u2cf1\u2d7f\u2de0-\u2dff\u302a-\u302f\u3099-\u309a\ua66f-\ua672\ua674-\ua67d\ua69e-\ua69f\ua6f0-\ua6f1\ua802\ua806\ua80b\ua823-\ua827\ua82c\ua880-\ua881\ua8b4-\ua8c5\ua8e0-\ua8f1\ua8ff\ua926-\ua92d\ua947-\ua953\ua980-\ua983\ua9b3-\ua9c0\ua9e5\uaa29-\uaa36\uaa43\uaa4c-\uaa4d\uaa7b-\uaa7d\uaab0\uaab2-\uaab4\uaab7-\uaab8\uaabe-\uaabf\uaac1\uaaeb-\uaaef\uaaf5-\uaaf6\uabe3-\uabea\uabec-\uabed\ufb1e\ufe00-\ufe0f\ufe20-\ufe2f\U000101fd\U000102e0\U00010376-\U0001037a\U00010a01-\U00010a03\U00010a05-\U00010a06\U00010a0c-\U00010a0f\U00010a38-\U00010a3a\U00010a3f\U00010ae5-\U00010ae6\U00010d24-\U00010d27\U00010d69-\U00010d6d\U00010eab-\U00010eac\U00010efa-\U00010eff\U00010f46-\U00010f50\U00010f82-\U00010f85\U00011000-\U00011002\U00011038-\U00011046\U00011070\U00011073-\U00011074\U0001107f-\U00011082\U000110b0-\U000110ba\U000110c2\U00011100-\U00011102\U00011127-\U00011134\U00011145-\U00011146\U00011173\U00011180-\U00011182\U000111b3-\U000111c0\U000111c9-\U000111cc\U000111ce-\U000111cf\U0001122c-\U00011237\U0001123e\U00011241\U000112df-\U000112ea\U00011300-\U00011303\U0001133b-\U0001133c\U0001133e-\U00011344\U00011347-\U00011348\U0001134b-\U0001134d\U00011357\U00011362-\U00011363\U00011366-\U0001136c\U00011370-\U00011374\U000113b8-\U000113c0\U000113c2\U000113c5\U000113c7-\U000113ca\U000113cc-\U000113d0\U000113d2\U000113e1-\U000113e2\U00011435-\U00011446\U0001145e\U000114b0-\U000114c3\U000115af-\U000115b5\U000115b8-\U000115c0\U000115dc-\U000115dd\U00011630-\U00011640\U000116ab-\U000116b7\U0001171d-\U0001172b\U0001182c-\U0001183a\U00011930-\U00011935\U00011937-\U00011938\U0001193b-\U0001193e\U00011940\U00011942-\U00011943\U000119d1-\U000119d7\U000119da-\U000119e0\U000119e4\U00011a01-\U00011a0a\U00011a33-\U00011a39\U00011a3b-\U00011a3e\U00011a47\U00011a51-\U00011a5b\U00011a8a-\U00011a99\U00011b60-\U00011b67\U00011c2f-\U00011c36\U00011c38-\U00011c3f\U00011c92-\U00011ca7\U00011ca9-\U00011cb6\U00011d31-\U00011d36\U00011d3a\U00011d3c-\U00011d3d\U00011d3f-\U00011d45\U00011d47\U00011d8a-\U00011d8e\U00011d90-\U00011d91\U00011d93-\U00011d97\U00011ef3-\U00011ef6\U00011f00-\U00011f01\U00011f03\U00011f34-\U00011f3a\U00011f3e-\U00011f42\U00011f5a\U00013440\U00013447-\U00013455\U0001611e-\U0001612f\U00016af0-\U00016af4\U00016b30-\U00016b36\U00016f4f\U00016f51-\U00016f87\U00016f8f-\U00016f92\U00016fe4\U00016ff0-\U00016ff1\U0001bc9d-\U0001bc9e\U0001cf00-\U0001cf2d\U0001cf30-\U0001cf46\U0001d165-\U0001d169\U0001d16d-\U0001d172\U0001d17b-\U0001d182\U0001d185-\U0001d18b\U0001d1aa-\U0001d1ad\U0001d242-\U0001d244\U0001da00-\U0001da36\U0001da3b-\U0001da6c\U0001da75\U0001da84\U0001da9b-\U0001da9f\U0001daa1-\U0001daaf\U0001e000-\U0001e006\U0001e008-\U0001e018\U0001e01b-\U0001e021\U0001e023-\U0001e024\U0001e026-\U0001e02a\U0001e08f\U0001e130-\U0001e136\U0001e2ae\U0001e2ec-\U0001e2ef\U0001e4ec-\U0001e4ef\U0001e5ee-\U0001e5ef\U0001e6e3\U0001e6e6\U0001e6ee-\U0001e6ef\U0001e6f5\U0001e8d0-\U0001e8d6\U0001e944-\U0001e94a\U000e0100-\U000e01ef]+',
      '', 'g') collate "default"), 'øłđðıς', 'olddiσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th')
  end $$;

-- Names in one form of Unicode. Two tags that look the same become one.
update person set name = normalize(name, nfc) where name is not nfc normalized;
update album set name = normalize(name, nfc) where name is not nfc normalized;
do $$
declare
  old record;
  kept uuid;
  above uuid;
begin
  for old in
    select id, owner_id, parent_id, color, normalize(value, nfc) as value from tag
    where value is not nfc normalized order by length(value), id
  loop
    select id into kept from tag where owner_id = old.owner_id and value = old.value;
    select same.id into above from tag join tag same
      on same.owner_id = tag.owner_id and same.value = normalize(tag.value, nfc)
      where tag.id = old.parent_id;
    if kept is null and above is not distinct from old.parent_id then
      update tag set value = old.value where id = old.id;
    else
      if kept is null then
        insert into tag (owner_id, parent_id, value, color)
          values (old.owner_id, above, old.value, old.color) returning id into kept;
      end if;
      insert into tag_asset (tag_id, asset_id)
        select kept, asset_id from tag_asset where tag_id = old.id on conflict do nothing;
    end if;
  end loop;
  delete from tag where value is not nfc normalized;
end $$;

-- The searches for a part of a file name and of a description.
create index asset_folded_name on asset using gin (fold_text(file_name) gin_trgm_ops);
create index asset_exif_folded_description on asset_exif using gin (fold_text(description) gin_trgm_ops);

-- Those of names as they are written. The people of one account are read whole.
drop index asset_file_name;
drop index person_name;

-- Indexes that saved less than 10 ms of 1,000,000 assets, or cost more: the Timeline by capture without reading past
-- archived items, and a month of favorites, which are found by capture or in their month.
drop index asset_timeline_taken;
drop index asset_favorite;
