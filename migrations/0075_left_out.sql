-- Files that their library leaves out are hidden at once; and scans tell what they have skipped.
alter table library_file add column is_left_out boolean not null default false; -- a pattern or the import paths of its library leave it out: its item is in the trash until they do not any more
alter table library add column scan_note text; -- what the last scan has skipped, such as symbolic links; null: nothing
alter table library add column mounts text[] not null default '{}'; -- where other disks were mounted below its import paths when it was scanned
