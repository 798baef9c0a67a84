-- Pets.

-- Pets of an account.
create table pet (
  id uuid primary key default gen_random_uuid(), -- identifier
  owner_id uuid not null references app_user on delete cascade, -- account
  name text not null default '', -- name; empty: unnamed
  species text not null check (species in ('cat', 'dog', 'bird', 'horse', 'other')), -- species
  is_confirmed boolean not null default false, -- confirmed by the owner
  created_at timestamptz not null default now(), -- creation
  updated_at timestamptz not null default now(), -- last change
  is_default boolean not null default true -- gets new observations of the species
);
create unique index pet_default on pet (owner_id, species) where is_default;

-- Animals detected on assets.
create table pet_observation (
  id uuid primary key default gen_random_uuid(), -- identifier
  asset_id uuid not null references asset on delete cascade, -- asset
  pet_id uuid references pet on delete cascade, -- pet; null: the owner marked it as not a pet
  species text not null, -- detected species
  score real not null, -- confidence, 0 to 1
  x1 real not null, -- left edge, 0 to 1 of the displayed picture
  y1 real not null, -- top edge, 0 to 1
  x2 real not null, -- right edge, 0 to 1
  y2 real not null, -- bottom edge, 0 to 1
  model_id text not null, -- model that detected it
  verdict text check (verdict in ('confirmed', 'denied')), -- decision of the owner
  constraint pet_observation_denied check ((pet_id is null) = (verdict is not distinct from 'denied'))
);
create index pet_observation_asset on pet_observation (asset_id);
create index pet_observation_pet on pet_observation (pet_id, asset_id);
-- Cover of a pet: confirmed observations first, then by confidence.
create index pet_observation_best on pet_observation (pet_id, (verdict is not null) desc, score desc);
