-- A person of one account. The faces of one person in the libraries of two accounts are two people.
create table person (
  id uuid primary key default gen_random_uuid(),
  owner_id uuid not null references app_user on delete cascade,
  name text not null default '',
  birth_date date,
  is_hidden boolean not null default false,
  is_favorite boolean not null default false,
  color text,
  -- The face whose picture stands for the person.
  cover_face_id uuid,
  -- Merged away: kept so that undoing the merge gives the old id back.
  merged_into uuid references person on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index person_owner on person (owner_id) where merged_into is null;
create index person_name on person using gin (name gin_trgm_ops);

create table face (
  id uuid primary key default gen_random_uuid(),
  asset_id uuid not null references asset on delete cascade,
  person_id uuid references person on delete set null,
  -- Corners as fractions of the displayed picture.
  x1 real not null,
  y1 real not null,
  x2 real not null,
  y2 real not null,
  source text not null check (source in ('machine-learning', 'exif', 'manual')),
  model_id text,
  score real,
  is_hidden boolean not null default false,
  -- Whose word it is: what the owner said is never changed by a machine.
  decided_by text not null default 'machine' check (decided_by in ('machine', 'owner')),
  revision int not null default 1,
  -- The state of the picture that the box was drawn on.
  source_revision text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check (x1 < x2 and y1 < y2)
);
create index face_asset on face (asset_id);
create index face_person on face (person_id) where person_id is not null;

-- What the owner decided, so that it can be shown and taken back.
create table face_correction (
  id uuid primary key default gen_random_uuid(),
  owner_id uuid not null references app_user on delete cascade,
  kind text not null
    check (kind in ('moved-onto', 'moved-off', 'not-a-face', 'merge', 'box-moved')),
  person_id uuid,
  previous_person_id uuid,
  face_id uuid,
  asset_id uuid,
  source_revision text,
  box jsonb,
  previous_box jsonb,
  -- Merge: who was merged, and every face that moved with the revision it was left at.
  merged jsonb,
  created_at timestamptz not null default now(),
  undone_at timestamptz
);
create index face_correction_person on face_correction (person_id, created_at desc, id desc);
create index face_correction_previous on face_correction (previous_person_id, created_at desc, id desc);

-- One verdict per pair, the smaller id first; both ids the same: that person is left alone.
create table merge_verdict (
  owner_id uuid not null references app_user on delete cascade,
  low_id uuid not null references person on delete cascade,
  high_id uuid not null references person on delete cascade,
  verdict text not null check (verdict in ('different', 'later', 'ignore')),
  decided_at timestamptz not null default now(),
  primary key (low_id, high_id),
  check (low_id <= high_id)
);

create table pet (
  id uuid primary key default gen_random_uuid(),
  owner_id uuid not null references app_user on delete cascade,
  name text not null default '',
  species text not null,
  is_confirmed boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index pet_owner on pet (owner_id);

create table pet_observation (
  id uuid primary key default gen_random_uuid(),
  asset_id uuid not null references asset on delete cascade,
  pet_id uuid references pet on delete set null,
  species text not null,
  score real not null,
  x1 real not null,
  y1 real not null,
  x2 real not null,
  y2 real not null,
  model_id text not null
);
create index pet_observation_asset on pet_observation (asset_id);
create index pet_observation_pet on pet_observation (pet_id);
