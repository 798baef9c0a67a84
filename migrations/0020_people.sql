-- No version has written to these tables yet: they are made anew, as they are written to from here on.
-- Were anything in them after all, it would not be thrown away: nothing is changed then.
do $$ declare
  name text;
  is_used boolean;
begin
  foreach name in array array['person', 'face', 'face_correction', 'merge_verdict', 'pet',
    'pet_observation']
  loop
    execute format('select exists (select from %I)', name) into is_used;
    if is_used then raise exception 'the table % has rows that no version has written', name; end if;
  end loop;
end $$;
drop table pet_observation, pet, merge_verdict, face_correction, face, person;

-- A person of one account. The faces of one person in the libraries of two accounts are two people.
create table person (
  id uuid primary key default gen_random_uuid(),
  owner_id uuid not null references app_user on delete cascade,
  name text not null default '',
  birth_date date,
  is_hidden boolean not null default false,
  is_favorite boolean not null default false,
  color text,
  -- Made by the owner: never tidied away, also without a name or a face.
  is_manual boolean not null default false,
  -- The face whose picture the owner chose to stand for the person.
  cover_face_id uuid,
  -- The face that the picture on the disk shows, and the version of that file.
  thumbnail_face_id uuid,
  thumbnail_tag text,
  thumbnail_size int,
  -- Merged away: kept so that undoing the merge gives the old id back.
  merged_into uuid references person on delete cascade,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index person_owner on person (owner_id) where merged_into is null;
create index person_merged on person (merged_into) where merged_into is not null;
create index person_name on person using gin (name gin_trgm_ops);

create table face (
  id uuid primary key default gen_random_uuid(),
  owner_id uuid not null references app_user on delete cascade,
  -- Not removed one by one with the assets, but by a trigger for all of a statement.
  asset_id uuid not null references asset deferrable initially deferred,
  person_id uuid references person on delete set null,
  -- Corners as fractions of the displayed picture, and the size of it that they were given for.
  x1 double precision not null,
  y1 double precision not null,
  x2 double precision not null,
  y2 double precision not null,
  image_width int not null check (image_width > 0),
  image_height int not null check (image_height > 0),
  source text not null check (source in ('machine-learning', 'exif', 'manual')),
  model_id text,
  score real,
  is_hidden boolean not null default false,
  -- Whose word it is: what the owner said is never changed by a machine.
  decided_by text not null default 'machine' check (decided_by in ('machine', 'owner')),
  box_by text not null default 'machine' check (box_by in ('machine', 'owner')),
  -- When it was last compared with other faces; null: it waits for that.
  clustered_at timestamptz,
  revision int not null default 1,
  -- The state of the picture that the box was drawn on.
  source_revision text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check (x1 < x2 and y1 < y2)
);
create index face_asset on face (asset_id);
create index face_person on face (person_id, asset_id) where person_id is not null and not is_hidden;
create index face_person_any on face (person_id) where person_id is not null;
create index face_owner on face (owner_id);
create index face_waiting on face (owner_id, id) where clustered_at is null;

create trigger face_embedding_forgotten after delete on face
  referencing old table as gone for each statement execute function forget_embeddings();

-- Changes with the original, its orientation and its edits, and with nothing else.
create function picture_revision(of_asset uuid) returns text language sql stable as $$
  select md5(concat_ws('/', encode(asset.sha256, 'hex'), coalesce(exif.orientation, '1'),
    (select string_agg(concat_ws(' ', edit.action, edit.parameters::text), ',' order by edit.position)
      from asset_edit edit where edit.asset_id = asset.id)))
  from asset left join asset_exif exif on exif.asset_id = asset.id
  where asset.id = of_asset
$$;

-- How many shown faces each person has: on assets of the Timeline and the archive. Rows are added,
-- never changed: the truth is their sum, and a job folds them together.
create table person_count (
  owner_id uuid not null,
  person_id uuid not null,
  faces bigint not null
);
create index person_count_owner on person_count (owner_id, person_id) include (faces);
create index person_count_person on person_count (person_id);

-- The middle of the shown faces of a person. Made when it is asked for; gone with every change.
create table person_vector (
  person_id uuid primary key references person on delete cascade,
  model_id text not null,
  faces int not null,
  -- float16, little-endian, unit length.
  vector bytea not null
);

-- Whoever changes faces holds their assets while counting: what counts depends on where they are.
create function count_faces(asset_ids uuid[], owner_ids uuid[], person_ids uuid[], signs int[])
  returns void language plpgsql as $$
begin
  if asset_ids is null then return; end if;
  perform 1 from asset where id = any(asset_ids) order by id for no key update;
  insert into person_count (owner_id, person_id, faces)
  select side.owner_id, side.person_id, sum(side.sign)
  from unnest(asset_ids, owner_ids, person_ids, signs) side (asset_id, owner_id, person_id, sign)
  join asset on asset.id = side.asset_id
  where is_on_shelf(asset.visibility, asset.locked_at, asset.trashed_at)
  group by side.owner_id, side.person_id having sum(side.sign) <> 0;
  delete from person_vector where person_id = any(person_ids);
end $$;

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
create trigger face_counted_insert after insert on face
  referencing new table as added for each statement execute function face_counted();
create trigger face_counted_update after update on face
  referencing old table as gone new table as added for each statement execute function face_counted();
create trigger face_counted_delete after delete on face
  referencing old table as gone for each statement execute function face_counted();

create function asset_faces_counted() returns trigger language plpgsql as $$
declare
  came uuid[];
  went uuid[];
begin
  if tg_op = 'DELETE' then
    went := array(select id from gone where is_on_shelf(visibility, locked_at, trashed_at));
  else
    select array_agg(id) filter (where sign > 0), array_agg(id) filter (where sign < 0)
    into came, went
    from (
      select id, sum(sign) as sign from (
        select id, 1 as sign from added where is_on_shelf(visibility, locked_at, trashed_at)
        union all
        select id, -1 from gone where is_on_shelf(visibility, locked_at, trashed_at)
      ) side group by id having sum(sign) <> 0
    ) moved;
  end if;
  if cardinality(came) > 0 or cardinality(went) > 0 then
    -- Not `count(*) filter (where asset_id = any(came))`: that looks through all of them for each face.
    with counted as (
      insert into person_count (owner_id, person_id, faces)
      select face.owner_id, face.person_id, sum(side.sign)
      from (select unnest(came) as asset_id, 1 as sign union all select unnest(went), -1) side
      join face on face.asset_id = side.asset_id
      where face.person_id is not null and not face.is_hidden
      group by 1, 2
      returning person_id
    )
    delete from person_vector where person_id in (select person_id from counted);
  end if;
  if tg_op = 'DELETE' then delete from face where asset_id in (select id from gone); end if;
  return null;
end $$;
create trigger asset_faces_counted_update after update on asset
  referencing old table as gone new table as added for each statement
  execute function asset_faces_counted();
create trigger asset_faces_counted_delete after delete on asset
  referencing old table as gone for each statement execute function asset_faces_counted();

create function person_gone() returns trigger language plpgsql as $$
begin
  delete from person_count where person_id in (select id from gone);
  insert into removed_file (owner_id, items, hashes, names)
  select owner_id, 0, '{}', array_agg(
    concat(substr(id::text, 1, 2), '/', substr(id::text, 3, 2), '/', id, '-person.webp'))
  from gone where thumbnail_tag is not null group by owner_id;
  return null;
end $$;
create trigger person_gone after delete on person
  referencing old table as gone for each statement execute function person_gone();

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
  -- {x1, y1, x2, y2, imageWidth, imageHeight}, after and before.
  box jsonb,
  previous_box jsonb,
  previous_decided_by text,
  -- Of a merge: what the person that stayed was called, and then was called; who was merged.
  survivor jsonb,
  merged_ids uuid[] not null default '{}',
  created_at timestamptz not null default now(),
  -- Of records of one moment: the later one.
  seq bigint generated always as identity,
  undone_at timestamptz
);
create index face_correction_person on face_correction (person_id, created_at desc, seq desc);
create index face_correction_previous
  on face_correction (previous_person_id, created_at desc, seq desc);
create index face_correction_merged on face_correction using gin (merged_ids);

-- Every face that a merge moved, with the revision at which it was left.
create table face_correction_face (
  correction_id uuid not null references face_correction on delete cascade,
  face_id uuid not null,
  previous_person_id uuid not null,
  previous_decided_by text not null,
  revision int not null,
  primary key (correction_id, face_id)
);

-- One verdict per pair, the smaller id first; both ids the same: that person is left alone.
create table merge_verdict (
  owner_id uuid not null references app_user on delete cascade,
  low_id uuid not null references person on delete cascade,
  high_id uuid not null references person on delete cascade,
  verdict text not null check (verdict in ('different', 'later', 'ignore')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (low_id, high_id),
  check (low_id <= high_id),
  check ((low_id = high_id) = (verdict = 'ignore'))
);
create index merge_verdict_owner on merge_verdict (owner_id);
create index merge_verdict_high on merge_verdict (high_id);

-- Accounts that look for the same people: merging in one merges the same people in the others.
create table cluster_group_member (
  user_id uuid primary key references app_user on delete cascade,
  group_id uuid not null
);
create index cluster_group_member_group on cluster_group_member (group_id);

create table pet (
  id uuid primary key default gen_random_uuid(),
  owner_id uuid not null references app_user on delete cascade,
  name text not null default '',
  species text not null check (species in ('cat', 'dog', 'bird', 'horse', 'other')),
  is_confirmed boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- What a machine sees is the species: who it is, only the owner knows.
  unique (owner_id, species)
);

create table pet_observation (
  id uuid primary key default gen_random_uuid(),
  asset_id uuid not null references asset on delete cascade,
  pet_id uuid not null references pet on delete cascade,
  species text not null,
  score real not null,
  x1 real not null,
  y1 real not null,
  x2 real not null,
  y2 real not null,
  model_id text not null
);
create index pet_observation_asset on pet_observation (asset_id);
create index pet_observation_pet on pet_observation (pet_id, asset_id);

-- What counts as evidence of a person: faces on what the Timeline and the archive show.
create view shown_face as
  select face.*, asset.visibility = 'timeline' as on_timeline
  from face join asset on asset.id = face.asset_id
  where not face.is_hidden
    and is_on_shelf(asset.visibility, asset.locked_at, asset.trashed_at);
