-- Physical deduplication: files of external libraries whose content another file has, too.

-- Plans: what one preview has found, and what was decided about it.
create table deduplication_plan (
  id uuid primary key default gen_random_uuid(), -- identifier
  status text not null default 'queued' check (status in (
    'queued', 'running', 'failed', 'previewed', 'reviewed', 'superseded', 'applying', 'applied'
  )), -- progress; the first three: of the preview
  retain_user_id uuid, -- account whose files are all retained; null: none in particular
  review_user_id uuid, -- account whose copies are reviewed; null: of all
  fingerprint bytea, -- SHA-256 of the evidence of all copies; null: not previewed
  reclaimable_bytes bigint not null default 0, -- bytes of all copies
  shared_bytes bigint not null default 0, -- bytes that uploads share already
  error text, -- why the preview failed
  created_at timestamptz not null default now(), -- request
  reviewed_at timestamptz -- last review
);
-- The plans, newest first.
create index deduplication_plan_created on deduplication_plan (created_at desc, id desc);

-- Files with the same content, as they were when the plan was made: one that is retained, and its copies.
create table deduplication_copy (
  id uuid primary key default gen_random_uuid(), -- identifier
  plan_id uuid not null, -- plan; no foreign key: checking it takes a quarter of the time of a preview
  group_id uuid not null, -- file of the group that is retained
  file_id bigint, -- file of a library; null: it is in our store
  asset_id uuid not null, -- item of the file; of an original in our store one of its items
  owner_id uuid not null, -- account of the item
  path text, -- absolute path; null: it is in our store
  size bigint not null, -- bytes
  sha256 bytea not null, -- content
  sha1 bytea not null, -- Immich's checksum of the content
  reference_count int not null, -- rows that refer to the file
  decision text not null default 'undecided'
    check (decision in ('undecided', 'approve', 'reject')), -- what the administrator has decided
  state text check (state in ('applied', 'failed', 'restored')), -- what became of it; null: nothing yet
  former_file text check (former_file in ('leave', 'quarantine', 'share-blocks')), -- what becomes of its file
  quarantined_at timestamptz, -- its file was moved to the quarantine
  purged_at timestamptz, -- its file was deleted from the quarantine
  problem text -- why it could not be applied, or its file was left where it is
);
-- The largest first; the retained file of a group before its copies.
create index deduplication_copy_list
  on deduplication_copy (plan_id, size desc, group_id, (id <> group_id), id);
-- Files whose time in the quarantine is over.
create index deduplication_copy_quarantined on deduplication_copy (quarantined_at)
  where quarantined_at is not null and purged_at is null;

-- Runs that apply a plan.
create table deduplication_apply (
  id uuid primary key default gen_random_uuid(), -- identifier
  plan_id uuid not null unique references deduplication_plan, -- plan
  status text not null default 'queued'
    check (status in ('queued', 'running', 'completed', 'failed')), -- progress
  master_user_id uuid not null, -- master account at the start
  former_files text not null
    check (former_files in ('leave', 'quarantine', 'share-blocks')), -- what becomes of the files of copies
  total int not null, -- approved copies
  processed int not null default 0, -- copies that are done, failed ones too
  failed int not null default 0, -- copies that could not be applied
  reclaimed_bytes bigint not null default 0, -- bytes of disk space that were freed
  started_at timestamptz not null, -- start
  finished_at timestamptz -- end
);
-- The runs that apply plans, newest first.
create index deduplication_apply_started on deduplication_apply (started_at desc);
