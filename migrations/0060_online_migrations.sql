-- Several versions of the program on one database, while its servers are replaced one after the other: see
-- src/db/migrate.ts.

alter table schema_migration add column served_from int; -- number of the last migration of the oldest programs that serve the schema since; null: only those that know it
alter table node add column schema int; -- number of the last migration that its program knows; null: a version before
-- 'starting': it waits, as for others to be replaced.
alter table node drop constraint node_state_check;
alter table node add constraint node_state_check
  check (state in ('starting', 'ready', 'draining', 'refused', 'gone'));
