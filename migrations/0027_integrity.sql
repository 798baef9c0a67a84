-- Checks of the files in the data folder, and what they have found.

-- Files that are missing, damaged, or that no row refers to, until that is solved.
create table integrity_report (
  id uuid primary key, -- identifier (v7)
  type text not null
    check (type in ('untracked_file', 'missing_file', 'checksum_mismatch')), -- what is wrong
  path text collate "C" not null, -- file, relative to the data folder
  copy_path text, -- file with the right bytes, relative if it is in the data folder; null: none is known
  scan_id uuid not null, -- scan that found it last
  created_at timestamptz not null -- first time that it was found
);
create unique index integrity_report_path on integrity_report (type, path);
-- Pages of reports of a kind.
create index integrity_report_list on integrity_report (type, id);

-- Progress of each check. A scan may take several runs.
create table integrity_check (
  type text primary key
    check (type in ('untracked_file', 'missing_file', 'checksum_mismatch')), -- what it looks for
  scan_id uuid, -- scan in progress (v7); null: none
  started_at timestamptz, -- start of that scan
  cursor text, -- last file or folder that it has checked; null: none yet
  checked bigint not null default 0, -- files that it has checked
  unreadable int not null default 0, -- files that it could not read
  -- SHA-256 in hex of originals that it did not find: a verdict only once it has seen all others
  candidates text[] not null default '{}',
  completed_at timestamptz -- end of the last scan that has seen all files
);
insert into integrity_check (type) values ('untracked_file'), ('missing_file'), ('checksum_mismatch');
