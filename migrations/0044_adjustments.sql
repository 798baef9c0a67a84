-- Light, colour and straightening of photos.

-- Adjustments of the owner, applied after the edits. Only rows that change the picture.
create table asset_adjustment (
  asset_id uuid primary key references asset on delete cascade, -- asset
  straighten double precision not null check (straighten between -45 and 45), -- degrees, clockwise
  exposure smallint not null check (exposure between -100 and 100), -- per cent
  contrast smallint not null check (contrast between -100 and 100), -- per cent
  highlights smallint not null check (highlights between -100 and 100), -- per cent
  shadows smallint not null check (shadows between -100 and 100), -- per cent
  warmth smallint not null check (warmth between -100 and 100), -- per cent; above 0 is warmer
  tint smallint not null check (tint between -100 and 100), -- per cent; above 0 is magenta
  saturation smallint not null check (saturation between -100 and 100) -- per cent; -100 is grey
);

-- An edited picture is analyzed again only when its geometry has changed, and rendered again it stays the same.
alter table asset_unedited add column rendered_revision text; -- picture_revision of the last rendering or, before it, of the unedited picture
alter table asset_unedited add column rendered_adjustments text; -- digest of the adjustments of the last rendering; null: none

-- Revision of the picture: changes with the original, its orientation, its edits and how it is straightened,
-- and nothing else. Light and colour leave regions and what is recognised where they are.
create or replace function picture_revision(of_asset uuid) returns text language sql stable as $$
  select md5(concat_ws('/', encode(asset.sha256, 'hex'), coalesce(exif.orientation, '1'),
    (select string_agg(concat_ws(' ', edit.action, edit.parameters::text), ',' order by edit.position)
      from asset_edit edit where edit.asset_id = asset.id),
    (select 'straighten ' || straighten from asset_adjustment adjustment
      where adjustment.asset_id = asset.id and straighten <> 0)))
  from asset left join asset_exif exif on exif.asset_id = asset.id
  where asset.id = of_asset
$$;

-- Logs the asset, since it tells whether it is edited.
create function asset_adjustment_logged() returns trigger language plpgsql as $$
begin
  insert into change (scope_id, kind, subject_id, is_open, is_shared)
  with changed as materialized (
    select asset.owner_id, asset.id, asset.locked_at is null as is_open,
      is_on_timeline(asset.visibility, asset.locked_at, asset.trashed_at) as is_shared
    from touched join asset on asset.id = touched.asset_id
  )
  select owner_id, 'asset', id, is_open, is_shared from changed
  union all
  select album_asset.album_id, 'asset', id, is_open, is_shared
  from changed join album_asset on album_asset.asset_id = changed.id;
  return null;
end $$;
call watch_rows('asset_adjustment', 'insert, update, delete', 'asset_adjustment_logged');
