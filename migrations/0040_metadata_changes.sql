-- Changes that owners make to dates, places, ratings and descriptions, and what they replaced.

-- The latest changes of an account, each of which can be undone.
create table metadata_change (
  id uuid primary key default gen_random_uuid(), -- identifier
  account_id uuid not null references app_user on delete cascade, -- account that asked
  fields text[] not null, -- what it changed: 'date', 'place', 'rating', 'description'
  created_at timestamptz not null, -- request
  undone_at timestamptz -- undo
);
create index metadata_change_account on metadata_change (account_id, created_at desc, id desc);

-- The assets of a change.
create table metadata_change_item (
  change_id uuid not null references metadata_change on delete cascade, -- change
  asset_id uuid not null references asset on delete cascade, -- asset
  revision int not null, -- state_revision after the change: the undo skips assets changed since
  former jsonb not null, -- values before, by the names of the columns of asset and asset_exif
  primary key (change_id, asset_id)
);
-- The changes of an asset that is deleted.
create index metadata_change_item_asset on metadata_change_item (asset_id);

-- Items that the lists of those without a date or place leave out.
create table metadata_dismissal (
  asset_id uuid not null references asset on delete cascade, -- asset
  field text not null check (field in ('date', 'place')), -- what it lacks
  primary key (asset_id, field)
);
