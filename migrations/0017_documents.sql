-- The text that a model has read in an asset. What the owner says about it stands beside it.
create table document (
  asset_id uuid primary key references asset on delete cascade,
  model_id text not null,
  -- A few letters on a sign make no document; they are found by a search all the same.
  has_enough boolean not null,
  -- What the lists and the search of documents read: without marks, in small letters.
  folded text not null,
  -- Of the asset, by triggers: the documents of an account in their order are one index.
  owner_id uuid not null,
  taken_at timestamptz not null,
  is_listed boolean not null,
  recognized_at timestamptz not null default now()
);
create index document_listed on document (owner_id, taken_at desc, asset_id desc) where is_listed;
create index document_words on document using gin (folded gin_trgm_ops) where is_listed;

-- Whoever writes a document holds its asset before.
create function document_placed() returns trigger language plpgsql as $$
begin
  select asset.owner_id, asset.taken_at, new.has_enough and asset.type = 'IMAGE'
    and is_on_shelf(asset.visibility, asset.locked_at, asset.trashed_at)
  into new.owner_id, new.taken_at, new.is_listed
  from asset where asset.id = new.asset_id;
  return new;
end $$;
create trigger document_placed before insert or update on document
  for each row execute function document_placed();

create function asset_document_moved() returns trigger language plpgsql as $$
declare
  moved uuid[];
begin
  select array_agg(id) into moved from (
    select id, owner_id, taken_at, is_on_shelf(visibility, locked_at, trashed_at) from added
    except
    select id, owner_id, taken_at, is_on_shelf(visibility, locked_at, trashed_at) from gone
  ) side;
  if cardinality(moved) > 0 then
    -- document_placed does the rest.
    update document set is_listed = is_listed where asset_id = any(moved);
  end if;
  return null;
end $$;
create trigger asset_document_moved after update on asset
  referencing old table as gone new table as added for each statement
  execute function asset_document_moved();

create table document_line (
  id uuid not null unique default gen_random_uuid(),
  asset_id uuid not null references document on delete cascade,
  -- Stays with the line as long as it is found again; never given to another one.
  line int not null,
  -- In the order of reading.
  position int not null,
  text text not null,
  score real not null,
  box_score real not null,
  -- Four corners, as fractions of the picture: x1, y1 … x4, y4.
  quad real[] not null,
  -- False: the latest recognition did not find it; it is here for what the owner wrote.
  is_read boolean not null default true,
  primary key (asset_id, line)
);

create table document_edit (
  id uuid primary key default gen_random_uuid(),
  asset_id uuid not null references document on delete cascade,
  line int not null,
  action text not null check (action in ('correct', 'dismiss')),
  text text,
  revision int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (asset_id, line),
  check ((action = 'correct') = (text is not null))
);

create table document_field (
  asset_id uuid not null references document on delete cascade,
  field text not null,
  action text not null check (action in ('confirm', 'correct', 'dismiss')),
  value text,
  revision int not null default 1,
  updated_at timestamptz not null default now(),
  primary key (asset_id, field),
  check ((action = 'dismiss') = (value is null))
);
