-- Duplicates: assets of one account that look the same.

-- Cached looks of a picture: for the comparison of edges, for finding it in another one, and what tells identical ones.
create table picture_outline (
  asset_id uuid primary key references asset on delete cascade, -- asset
  light bytea not null check (octet_length(light) = 256), -- brightness, one byte per cell, row by row
  patches bytea not null check (octet_length(patches) % 22 = 2), -- small parts with edges: see media/common-part.ts
  pixels bytea check (octet_length(pixels) = 32) -- SHA-256 of all pixels; null: not computed
);
-- In the row and uncompressed: it does not compress.
alter table picture_outline alter column light set storage plain;
alter table picture_outline alter column pixels set storage plain;
alter table picture_outline alter column patches set storage external;

-- Assets to be compared with all others. Rows are added by analyses and deleted by a job.
create table duplicate_change (
  id bigint primary key generated always as identity, -- identifier
  asset_id uuid not null, -- asset
  model_id text not null -- model of its feature vector
);

-- Similar pairs.
create table duplicate_pair (
  owner_id uuid not null, -- account
  first_id uuid not null references asset on delete cascade, -- asset with the smaller id
  second_id uuid not null references asset on delete cascade, -- asset with the greater id
  score real not null, -- similarity of the feature vectors
  sameness real, -- overlap of the edges, -1 to 1; null: one picture has no edges, or does not exist yet
  is_identical boolean not null default false, -- the same bytes or pixels
  common_part real, -- share of what one picture has of the other that is the same; null: neither is part of the other
  primary key (first_id, second_id),
  check (first_id < second_id)
);
-- The pairs of an account.
create index duplicate_pair_owner on duplicate_pair (owner_id);
create index duplicate_pair_second on duplicate_pair (second_id);

-- Sets that a client of the API has made.
create table duplicate_member (
  asset_id uuid primary key references asset on delete cascade, -- asset
  owner_id uuid not null, -- account
  set_id uuid not null -- identifier that the client has chosen
);
-- The members of a set.
create index duplicate_member_set on duplicate_member (owner_id, set_id);

-- Sets that the owner decided to keep, by content: not suggested again, in whole or in part.
create table duplicate_decision (
  owner_id uuid not null references app_user on delete cascade, -- account
  fingerprint uuid not null, -- identifier of the set
  sha256 bytea not null, -- content of one member
  decided_at timestamptz not null default now(), -- decision
  primary key (owner_id, fingerprint, sha256)
);
create index duplicate_decision_content on duplicate_decision (owner_id, sha256);
