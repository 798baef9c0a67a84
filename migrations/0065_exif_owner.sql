-- The newest items of an account by camera, lens or place are one range of an index: with the owner and the date beside
-- the values, neither what others have of them nor how rare they are costs anything. Names of their own: unqualified ones of the
-- version before stay unambiguous.
alter table asset_exif add column asset_owner_id uuid; -- asset.owner_id; null: not yet filled by the job assets.fillExifOwners
alter table asset_exif add column asset_taken_at timestamptz; -- asset.taken_at, kept by exif_placed and move_links

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
