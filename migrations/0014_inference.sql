-- Which tasks have looked at an asset, by which models. A task without a row has not: its models were
-- not installed, or the job waits. A result of another model is done again.
create table asset_analysis (
  asset_id uuid not null references asset on delete cascade,
  task text not null check (task in ('faces', 'embedding', 'objects', 'labels', 'text', 'feature')),
  model_id text not null,
  analyzed_at timestamptz not null default now(),
  -- Why nothing could be found: not tried again by itself.
  failure text,
  primary key (asset_id, task)
);

-- The models that the assets were last queued for: when others are installed, they are queued again.
create table analysis_model (
  task text primary key,
  model_id text not null
);

create table embedding_model (
  id smallint primary key generated always as identity,
  model_id text not null unique,
  dimension int not null check (dimension between 1 and 3000),
  -- Slots given so far, from 0.
  slots int not null default 0,
  -- Names the files made from these vectors: a copy of the database is another library.
  stamp uuid not null default gen_random_uuid()
);

-- The truth about all vectors: float16, little-endian, unit length. A slot is the place of a vector in
-- the files made from this table. It is kept when the vector changes, and never given to another
-- subject: a file that lags behind can then not show one subject for another.
create table embedding (
  model smallint not null references embedding_model on delete cascade,
  subject_id uuid not null,
  kind text not null check (kind in ('asset', 'face', 'frame', 'text')),
  slot int not null,
  -- Changes are followed by it, below the oldest transaction that runs: a later commit is not missed.
  xid xid8 not null default pg_current_xact_id(),
  vector bytea not null
);
-- In the row itself, and not compressed: it would not become smaller.
alter table embedding alter column vector set storage plain;
-- Candidates are read from this alone.
create unique index embedding_subject on embedding (model, subject_id) include (slot);
create unique index embedding_slot on embedding (model, slot) include (subject_id);
create index embedding_changed on embedding (model, xid);

-- For tables whose rows have vectors, as `after delete … referencing old table as gone`.
create function forget_embeddings() returns trigger language plpgsql as $$
begin
  delete from embedding using gone, embedding_model
  where embedding.model = embedding_model.id and embedding.subject_id = gone.id;
  return null;
end $$;
create trigger asset_embedding_forgotten after delete on asset
  referencing old table as gone for each statement execute function forget_embeddings();
