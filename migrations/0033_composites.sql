-- Composites: archives, films and frames of films, which are made of several assets. Their files are served only while
-- the caller may see all of these: see src/access/composites.ts.

-- Assets that a composite is made of. It counts them in source_count: one whose assets are not known is not served.
create table composite_source (
  composite_id uuid not null, -- memory_export, studio_export or studio_render
  asset_id uuid not null, -- asset; it may be gone
  primary key (composite_id, asset_id)
);
-- The composites of an asset that goes.
create index composite_source_asset on composite_source (asset_id);

create function composites_deleted() returns trigger language plpgsql as $$
begin
  delete from composite_source where composite_id in (select id from gone);
  return null;
end $$;
create trigger memory_export_sources_deleted after delete on memory_export
  referencing old table as gone for each statement execute function composites_deleted();
create trigger studio_export_sources_deleted after delete on studio_export
  referencing old table as gone for each statement execute function composites_deleted();
create trigger studio_render_sources_deleted after delete on studio_render
  referencing old table as gone for each statement execute function composites_deleted();

-- Ends composites for good, since one of their assets is not available any more. The jobs that delete their files
-- are due now. What a film has become in the library stays.
create function withdraw_composites(ids uuid[]) returns void language plpgsql as $$
declare
  reason constant text := 'An item of it is not available any more';
  archives uuid[];
  films uuid[];
  frames uuid[];
begin
  -- Locked in one order: no two transactions wait for each other.
  archives := array(select id from memory_export
    where id = any(ids) and status in ('queued', 'running', 'completed') order by id for update);
  films := array(select id from studio_export
    where id = any(ids)
      and (state in ('queued', 'rendering') or (state = 'ready' and destination = 'download'))
    order by id for update);
  frames := array(select id from studio_render
    where id = any(ids) and state in ('queued', 'rendering', 'ready') order by id for update);
  if cardinality(archives || films || frames) = 0 then return; end if;
  -- The name is the title of the memory, which may tell whom or what the asset shows.
  update memory_export set status = case status when 'completed' then 'expired' else 'failed' end,
    error = reason, file_name = null, finished_at = coalesce(finished_at, now())
  where id = any(archives);
  update studio_export set state = 'failed', error = reason, size = null,
    ended_at = coalesce(ended_at, now())
  where id = any(films);
  update studio_render set state = 'failed', error = reason where id = any(frames);
  delete from notification
  where data ->> 'kind' = 'exportReady' and data ->> 'exportId' = any((archives || films)::text[])
    and owner_id in (
      select owner_id from memory_export where id = any(archives)
      union all select account_id from studio_export where id = any(films));
  -- A job that another transaction is about to start comes soon enough.
  update schedule set next_at = now() where name in (
    select name from schedule
    where name in ('memories.cleanExports', 'studio.clean') and next_at > now() for update skip locked);
end $$;

-- Ends the composites of assets that were locked, trashed or deleted.
create function withdraw_composites_of(asset_ids uuid[]) returns void language plpgsql as $$
declare
  ids uuid[] := array(
    select distinct composite_id from unnest(asset_ids) asset_id join composite_source using (asset_id));
begin
  if cardinality(ids) > 0 then perform withdraw_composites(ids); end if;
end $$;
