-- People, faces, counts of faces, corrections by the owner.

-- People of an account. Faces of one human in the libraries of two accounts are two people.
create table person (
  id uuid primary key default gen_random_uuid(), -- identifier
  owner_id uuid not null references app_user on delete cascade, -- account
  name text not null default '', -- name; empty: unnamed
  birth_date date, -- date of birth
  is_hidden boolean not null default false, -- not listed
  is_favorite boolean not null default false, -- favourite
  color text, -- colour, as '#rrggbb'
  is_manual boolean not null default false, -- created by the owner: never deleted automatically
  cover_face_id uuid, -- face chosen as the thumbnail
  thumbnail_face_id uuid, -- face that the thumbnail file shows
  thumbnail_tag text, -- ETag of the thumbnail file
  thumbnail_size int, -- bytes of the thumbnail file
  merged_into uuid references person on delete cascade, -- person that it was merged into; undone by id
  created_at timestamptz not null default now(), -- creation
  updated_at timestamptz not null default now() -- last change
);
create index person_owner on person (owner_id) where merged_into is null;
create index person_merged on person (merged_into) where merged_into is not null;
-- The search for a part of a name.
create index person_name on person using gin (name gin_trgm_ops);

-- Faces. Deleted before their asset, since its state decides whether they count.
create table face (
  id uuid primary key default gen_random_uuid(), -- identifier
  owner_id uuid not null references app_user on delete cascade, -- account
  asset_id uuid not null references asset deferrable initially deferred, -- asset
  person_id uuid references person on delete set null, -- person; null: unassigned
  x1 double precision not null, -- left edge, 0 to 1 of the displayed picture
  y1 double precision not null, -- top edge, 0 to 1
  x2 double precision not null, -- right edge, 0 to 1
  y2 double precision not null, -- bottom edge, 0 to 1
  image_width int not null check (image_width > 0), -- pixels of the picture that the box was given for
  image_height int not null check (image_height > 0), -- pixels of the picture that the box was given for
  source text not null check (source in ('machine-learning', 'exif', 'manual')), -- origin
  model_id text, -- model that detected it
  score real, -- confidence of the detection, 0 to 1
  side_px real, -- shorter side of the box in pixels of the analysed picture; null: drawn
  is_hidden boolean not null default false, -- marked as not a face
  -- who assigned the person: decisions of the owner are never changed by a machine
  decided_by text not null default 'machine' check (decided_by in ('machine', 'owner')),
  box_by text not null default 'machine' check (box_by in ('machine', 'owner')), -- who set the box
  clustered_at timestamptz, -- last clustering; null: waits for it
  revision int not null default 1, -- incremented with each change
  source_revision text not null, -- picture_revision that the box was set on
  created_at timestamptz not null default now(), -- detection
  updated_at timestamptz not null default now(), -- last change
  local_month date, -- asset.local_month from the first person on, kept by link_placed and move_links
  check (x1 < x2 and y1 < y2)
);
create index face_asset on face (asset_id);
create index face_person on face (person_id, asset_id) where person_id is not null and not is_hidden;
create index face_person_any on face (person_id) where person_id is not null;
create index face_person_month on face (person_id, local_month) include (asset_id)
  where person_id is not null and not is_hidden;
create index face_owner on face (owner_id);
create index face_waiting on face (owner_id, id) where clustered_at is null;

create trigger face_placed before insert or update of person_id on face
  for each row when (new.person_id is not null and new.local_month is null)
  execute function link_placed();

-- Faces that count as evidence of a person: on assets of the Timeline and the archive.
create view shown_face as
  select face.*, asset.visibility = 'timeline' as on_timeline
  from face join asset on asset.id = face.asset_id
  where not face.is_hidden
    and is_listed(asset.visibility, asset.locked_at, asset.trashed_at);

-- Shown faces by person, on assets of the Timeline and the archive: deltas, folded by a job. Kept as a counter
-- because with 40,000 faces of 5,000 people counting takes 220 ms instead of 2 ms, for each page of the list.
create table person_count (
  owner_id uuid not null, -- account
  person_id uuid not null, -- person
  faces bigint not null -- change of the number of faces
);
-- The sums of all people of an account, without the table.
create index person_count_owner on person_count (owner_id, person_id) include (faces);
-- The sums of a person, and what goes with one.
create index person_count_person on person_count (person_id);

-- Cached mean of the embeddings of a person's shown faces; deleted with every change of them.
create table person_vector (
  person_id uuid primary key references person on delete cascade, -- person
  model_id text not null, -- model of the embeddings
  faces int not null, -- number of faces
  vector bytea not null -- float16, little-endian, unit length
);

-- Counts changed faces. Locks their assets, since their state decides whether they count.
create function count_faces(
    asset_ids uuid[], owner_ids uuid[], person_ids uuid[], signs int[])
  returns void language plpgsql as $$
begin
  if asset_ids is null then return; end if;
  perform 1 from asset where id = any(asset_ids) order by id for no key update;
  -- The asset was redated before the lock was taken.
  if exists (
    select from face join asset on asset.id = face.asset_id
    where face.asset_id = any(asset_ids) and face.local_month <> asset.local_month
  ) then
    update face set local_month = asset.local_month from asset
    where face.asset_id = any(asset_ids) and asset.id = face.asset_id
      and face.local_month <> asset.local_month;
  end if;
  perform stamp_months(asset_ids);
  insert into person_count (owner_id, person_id, faces)
  select side.owner_id, side.person_id, sum(side.sign)
  from unnest(asset_ids, owner_ids, person_ids, signs) side (asset_id, owner_id, person_id, sign)
  join asset on asset.id = side.asset_id
  where is_listed(asset.visibility, asset.locked_at, asset.trashed_at)
  group by side.owner_id, side.person_id having sum(side.sign) <> 0;
  delete from person_vector where person_id = any(person_ids);
end $$;

-- Keeps person_count when faces change.
create function face_counted() returns trigger language plpgsql as $$
declare
  asset_ids uuid[];
  owner_ids uuid[];
  person_ids uuid[];
  signs int[];
begin
  if tg_op = 'INSERT' then
    select array_agg(asset_id), array_agg(owner_id), array_agg(person_id), array_agg(1)
    into asset_ids, owner_ids, person_ids, signs
    from added where person_id is not null and not is_hidden;
  elsif tg_op = 'DELETE' then
    select array_agg(asset_id), array_agg(owner_id), array_agg(person_id), array_agg(-1)
    into asset_ids, owner_ids, person_ids, signs
    from gone where person_id is not null and not is_hidden;
  else
    select array_agg(asset_id), array_agg(owner_id), array_agg(person_id), array_agg(sign)
    into asset_ids, owner_ids, person_ids, signs
    from (
      select asset_id, owner_id, person_id, sum(sign)::int as sign from (
        select id, asset_id, owner_id, person_id, 1 as sign from added
        where person_id is not null and not is_hidden
        union all
        select id, asset_id, owner_id, person_id, -1 from gone
        where person_id is not null and not is_hidden
      ) side group by id, asset_id, owner_id, person_id having sum(sign) <> 0
    ) moved;
  end if;
  perform count_faces(asset_ids, owner_ids, person_ids, signs);
  return null;
end $$;
call watch_sides('face', 'insert, update, delete', 'face_counted');

-- Deletes the counts and the thumbnail of a deleted person.
create function person_gone() returns trigger language plpgsql as $$
begin
  delete from person_count where person_id in (select id from gone);
  insert into removed_file (owner_id, items, hashes, names)
  select owner_id, 0, '{}', array_agg(
    concat(substr(id::text, 1, 2), '/', substr(id::text, 3, 2), '/', id, '-person.webp'))
  from gone where thumbnail_tag is not null group by owner_id;
  return null;
end $$;
call watch_sides('person', 'delete', 'person_gone');

-- Decisions of the owner about faces, with what is needed to undo them.
create table face_correction (
  id uuid primary key default gen_random_uuid(), -- identifier
  owner_id uuid not null references app_user on delete cascade, -- account
  kind text not null
    check (kind in ('moved-onto', 'moved-off', 'not-a-face', 'merge', 'box-moved')), -- kind
  person_id uuid, -- person after the correction
  previous_person_id uuid, -- person before it
  face_id uuid, -- face
  asset_id uuid, -- asset of the face
  source_revision text, -- picture_revision of the asset
  box jsonb, -- {x1, y1, x2, y2, imageWidth, imageHeight} after the correction
  previous_box jsonb, -- the box before it
  previous_decided_by text, -- face.decided_by before it
  survivor jsonb, -- merge: name, birth date and cover of the remaining person, before and after
  merged_ids uuid[] not null default '{}', -- merge: people merged into person_id
  created_at timestamptz not null default now(), -- time of the correction
  seq bigint generated always as identity, -- order of corrections made at the same instant
  undone_at timestamptz, -- undo
  previous_box_by text check (previous_box_by in ('machine', 'owner')) -- face.box_by before it
);
-- The last corrections of a person, which can be undone.
create index face_correction_person on face_correction (person_id, created_at desc, seq desc);
create index face_correction_previous
  on face_correction (previous_person_id, created_at desc, seq desc);
-- The merge that a person has gone into.
create index face_correction_merged on face_correction using gin (merged_ids);

-- Faces moved by a merge.
create table face_correction_face (
  correction_id uuid not null references face_correction on delete cascade, -- merge
  face_id uuid not null, -- face
  previous_person_id uuid not null, -- face.person_id before the merge
  previous_decided_by text not null, -- face.decided_by before the merge
  revision int not null, -- face.revision after the merge: the undo skips faces changed since
  primary key (correction_id, face_id)
);

-- Decisions about suggested merges. Equal ids: no more suggestions for that person.
create table merge_verdict (
  owner_id uuid not null references app_user on delete cascade, -- account
  low_id uuid not null references person on delete cascade, -- person with the smaller id
  high_id uuid not null references person on delete cascade, -- person with the greater id
  verdict text not null check (verdict in ('different', 'later', 'ignore')), -- decision
  created_at timestamptz not null default now(), -- first decision
  updated_at timestamptz not null default now(), -- last decision
  primary key (low_id, high_id),
  check (low_id <= high_id),
  check ((low_id = high_id) = (verdict = 'ignore'))
);
create index merge_verdict_owner on merge_verdict (owner_id);
create index merge_verdict_high on merge_verdict (high_id);

-- Invitations into a cluster group (app_user.cluster_group_id). Merging people in one account of a group
-- merges the same people in the others.
create table cluster_group_request (
  id uuid primary key default gen_random_uuid(), -- identifier
  cluster_group_id uuid not null, -- group that invites
  user_id uuid not null references app_user on delete cascade, -- account that is invited
  created_at timestamptz not null default now(), -- invitation
  unique (cluster_group_id, user_id)
);
create index cluster_group_request_user on cluster_group_request (user_id);
