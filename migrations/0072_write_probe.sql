-- Whether the database takes writes: see src/areas/server/readiness.domain.ts.
create table write_probe (
  node_id uuid primary key, -- process that has asked
  written_at timestamptz not null -- when it has written last
);

-- Reads what each change of an item reads.
create function write_probed() returns trigger language plpgsql as $$
begin
  perform announce_to('{}', 'probe');
  new.written_at := clock_timestamp();
  return new;
end $$;
create trigger write_probed before insert or update on write_probe for each row
  execute function write_probed();
