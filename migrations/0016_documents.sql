-- Recognised text and what the owner corrected of it.

-- Assets with recognised text.
create table document (
  asset_id uuid primary key references asset on delete cascade, -- asset
  model_id text not null, -- model that recognised the text
  folded text not null, -- text without diacritics, in lower case: read by search and lists
  owner_id uuid not null, -- asset.owner_id, kept by document_placed
  taken_at timestamptz not null, -- asset.taken_at, kept by document_placed
  local_month date not null, -- asset.local_month, kept by document_placed
  is_listed boolean not null, -- an image with text on the Timeline or in the archive; kept by document_placed
  fills_picture boolean not null default false, -- the text is worth a place in the list of documents
  recognized_at timestamptz not null default now() -- recognition
);
-- Documents that fill their picture, newest first.
create index document_listed on document (owner_id, taken_at desc, asset_id desc)
  where is_listed and fills_picture;
-- The number of documents by month.
create index document_month on document (owner_id, local_month) where is_listed and fills_picture;
-- All pictures with text, for a search in it.
create index document_text on document (owner_id, taken_at desc, asset_id desc) where is_listed;
-- The search for a part of a recognised text.
create index document_words on document using gin (folded gin_trgm_ops) where is_listed;

-- Keeps owner_id, taken_at, local_month and is_listed. Writers lock the asset first.
create function document_placed() returns trigger language plpgsql as $$
begin
  select asset.owner_id, asset.taken_at, asset.local_month, asset.type = 'IMAGE' and new.folded <> ''
    and is_listed(asset.visibility, asset.locked_at, asset.trashed_at)
  into new.owner_id, new.taken_at, new.local_month, new.is_listed
  from asset where asset.id = new.asset_id;
  return new;
end $$;
create trigger document_placed before insert or update on document
  for each row execute function document_placed();

-- Updates the documents of changed assets, by document_placed.
create function move_documents(before asset[], after asset[]) returns void language plpgsql as $$
declare
  moved uuid[] := array(
    select id from (
      select id, owner_id, taken_at, local_month, is_listed(visibility, locked_at, trashed_at)
      from unnest(after)
      except
      select id, owner_id, taken_at, local_month, is_listed(visibility, locked_at, trashed_at)
      from unnest(before)
    ) side);
begin
  if cardinality(moved) > 0 then
    update document set is_listed = is_listed where asset_id = any(moved);
  end if;
end $$;

-- Lines of recognised text.
create table document_line (
  id uuid not null unique default gen_random_uuid(), -- identifier in the sync stream
  asset_id uuid not null references document on delete cascade, -- asset
  line int not null, -- number: kept while the line is recognised again, never reused
  position int not null, -- reading order
  text text not null, -- recognised text
  score real not null, -- confidence of the text, 0 to 1
  box_score real not null, -- confidence of the box, 0 to 1
  quad real[] not null, -- corners x1, y1 to x4, y4, 0 to 1 of the picture
  is_read boolean not null default true, -- false: no longer recognised, kept for its correction
  primary key (asset_id, line)
);

-- Corrections of lines.
create table document_edit (
  id uuid primary key default gen_random_uuid(), -- identifier
  asset_id uuid not null references document on delete cascade, -- asset
  line int not null, -- document_line.line
  action text not null check (action in ('correct', 'dismiss')), -- kind of correction
  text text, -- corrected text
  revision int not null default 1, -- incremented with each change
  created_at timestamptz not null default now(), -- creation
  updated_at timestamptz not null default now(), -- last change
  unique (asset_id, line),
  check ((action = 'correct') = (text is not null))
);

-- Corrections of fields, as date or issuer.
create table document_field (
  asset_id uuid not null references document on delete cascade, -- asset
  field text not null, -- field
  action text not null check (action in ('confirm', 'correct', 'dismiss')), -- kind of correction
  value text, -- confirmed or corrected value
  revision int not null default 1, -- incremented with each change
  updated_at timestamptz not null default now(), -- last change
  primary key (asset_id, field),
  check ((action = 'dismiss') = (value is null))
);

-- Stamps the months in which documents come or go: they are counted by month when somebody asks.
create function document_stamped() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform stamp_months(array(select asset_id from added where is_listed and fills_picture));
  elsif tg_op = 'DELETE' then
    perform stamp_months(array(select asset_id from gone where is_listed and fills_picture));
  else
    perform stamp_months(array(
      select asset_id from (
        select asset_id, is_listed and fills_picture as is_counted from added
        union all select asset_id, is_listed and fills_picture from gone
      ) side group by asset_id having bool_or(is_counted) <> bool_and(is_counted)));
  end if;
  return null;
end $$;
call watch_sides('document', 'insert, update, delete', 'document_stamped');
