-- Results of models, and embeddings.

-- Completed analyses. A task without a row has not been done: its models were not installed, or its job
-- waits. Another model does it again.
create table asset_analysis (
  asset_id uuid not null references asset on delete cascade, -- asset
  task text not null
    check (task in ('faces', 'embedding', 'objects', 'labels', 'text', 'feature')), -- task
  model_id text not null, -- model
  analyzed_at timestamptz not null default now(), -- analysis
  failure text, -- why the asset cannot be analysed; not retried automatically
  primary key (asset_id, task)
);

-- Model that the assets were last enqueued for, by task. Another installed model enqueues them again.
create table analysis_model (
  task text primary key, -- task
  model_id text not null -- model
);

-- Models that have embeddings.
create table embedding_model (
  id smallint primary key generated always as identity, -- identifier
  model_id text not null unique, -- model
  dimension int not null check (dimension between 1 and 3000), -- length of its vectors
  slots int not null default 0, -- slots assigned so far, from 0
  stamp uuid not null default gen_random_uuid() -- names the index files: differs in a copy of the database
);

-- Embeddings. A slot is the position of a vector in the index files made from this table: it is kept when
-- the vector changes and never reused, so that an outdated file cannot show one subject for another.
create table embedding (
  model smallint not null references embedding_model on delete cascade, -- model
  subject_id uuid not null, -- asset, face, video frame or text
  kind text not null check (kind in ('asset', 'face', 'frame', 'text')), -- type of the subject
  slot int not null, -- position in the index files
  -- readers of changes read below the oldest running transaction, and so miss no late commit
  xid xid8 not null default pg_current_xact_id(),
  vector bytea not null -- float16, little-endian, unit length
);
-- In the row and uncompressed: vectors do not compress.
alter table embedding alter column vector set storage plain;
-- Index-only scans of candidates.
create unique index embedding_subject on embedding (model, subject_id) include (slot);
create unique index embedding_slot on embedding (model, slot) include (subject_id);
create index embedding_changed on embedding (model, xid);
