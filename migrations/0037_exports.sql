-- Exports of memories and films of projects are operations: see src/operations. Composites are these, by
-- operation_file, and studio_render.

-- Files that operations make, and of which assets: see src/access/composites.ts.
create table operation_file (
  id uuid primary key references operation on delete cascade, -- operation; names the file
  memory_id uuid references memory on delete cascade, -- memory that is exported
  project_id uuid references studio_project on delete cascade, -- project of which a film is made
  destination text not null check (destination in ('library', 'download')), -- where the file goes
  planned_bytes bigint not null, -- bytes that it may take at most while it is made
  size bigint, -- bytes of the file, once it is complete
  name text, -- name offered to whoever downloads it
  asset_id uuid references asset on delete set null, -- item that the file became
  source_count int, -- assets that it is made of: see 0033_composites.sql; null: not known
  check ((memory_id is null) <> (project_id is null))
);
create index operation_file_memory on operation_file (memory_id) where memory_id is not null;
create index operation_file_project on operation_file (project_id) where project_id is not null;
create index operation_file_asset on operation_file (asset_id) where asset_id is not null;

insert into operation (id, kind, account_id, state, payload, progress, total, error, created_at,
  started_at, finished_at, expires_at)
select id, case kind when 'archive' then 'memory-archive' else 'memory-film' end, owner_id, status,
  jsonb_build_object('memoryId', memory_id, 'language', language),
  jsonb_build_object('processed', processed, 'skipped', skipped),
  total, error, created_at, started_at, finished_at, expires_at
from memory_export;
insert into operation_file (id, memory_id, destination, planned_bytes, size, name, asset_id, source_count)
select id, memory_id, 'download', planned_bytes, size, file_name, library_asset_id, source_count
from memory_export;

insert into operation (id, kind, account_id, state, payload, progress, error, created_at, finished_at)
select id, 'studio-film', account_id,
  case state when 'rendering' then 'running' when 'ready' then 'completed' else state end,
  jsonb_build_object('projectId', project_id, 'revision', revision, 'width', width, 'height', height),
  jsonb_build_object('share', progress), error, created_at, ended_at
from studio_export;
insert into operation_file (id, project_id, destination, planned_bytes, size, asset_id, source_count)
select id, project_id, destination, planned_bytes, size, asset_id, source_count from studio_export;

update job set payload = jsonb_build_object('operationId', payload -> 'exportId')
where name in ('memories.exportArchive', 'memories.exportFilm', 'studio.exportProject');

-- Their triggers would delete the sources.
drop table memory_export, studio_export;
create trigger operation_file_sources_deleted after delete on operation_file
  referencing old table as gone for each statement execute function composites_deleted();

-- Tells accounts of their exports of memories.
create function memory_exports_announced() returns trigger language plpgsql as $$
begin
  perform announce_to(array(
    select distinct account_id from touched where kind in ('memory-archive', 'memory-film')
  ), 'memory_export');
  return null;
end $$;
call watch_rows('operation', 'insert, update, delete', 'memory_exports_announced');

-- Ends composites for good, since one of their assets is not available any more. The jobs that delete their files
-- are due now. What a film has become in the library stays.
create or replace function withdraw_composites(ids uuid[]) returns void language plpgsql as $$
declare
  reason constant text := 'An item of it is not available any more';
  files uuid[];
  frames uuid[];
begin
  -- Locked in one order: no two transactions wait for each other.
  files := array(select operation.id from operation join operation_file using (id)
    where id = any(ids)
      and (state in ('queued', 'running') or (state = 'completed' and destination = 'download'))
    order by id for update of operation);
  frames := array(select id from studio_render
    where id = any(ids) and state in ('queued', 'rendering', 'ready') order by id for update);
  if cardinality(files || frames) = 0 then return; end if;
  update operation set state = case state when 'completed' then 'expired' else 'failed' end,
    revision = revision + 1, error = reason, finished_at = coalesce(finished_at, now())
  where id = any(files);
  -- The name is the title of the memory, which may tell whom or what the asset shows.
  update operation_file set name = null where id = any(files);
  update studio_render set state = 'failed', error = reason where id = any(frames);
  delete from notification
  where data ->> 'kind' = 'exportReady' and data ->> 'exportId' = any(files::text[])
    and owner_id in (select account_id from operation where id = any(files));
  -- A job that another transaction is about to start comes soon enough.
  update schedule set next_at = now() where name in (
    select name from schedule
    where name in ('memories.cleanExports', 'studio.clean') and next_at > now() for update skip locked);
end $$;
