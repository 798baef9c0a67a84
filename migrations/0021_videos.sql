-- No version has written to these tables yet: they are made anew, as they are written to from here on.
-- Were anything in them after all, it would not be thrown away: nothing is changed then.
do $$ declare
  name text;
  is_used boolean;
begin
  foreach name in array array['video_enrichment', 'video_frame', 'video_moment']
  loop
    execute format('select exists (select from %I)', name) into is_used;
    if is_used then raise exception 'the table % has rows that no version has written', name; end if;
  end loop;
end $$;
drop table video_moment, video_frame, video_enrichment;

-- What a video is made of. `source` names the bytes and how they are shown (picture_revision) that the
-- frames were taken from; another value now means that they are outdated.
create table video_enrichment (
  asset_id uuid primary key references asset on delete cascade,
  status text not null default 'pending'
    check (status in ('pending', 'processing', 'ready', 'failed', 'unavailable')),
  source text,
  -- Who described the frames, in words that are compared as they are; '' while nobody has.
  models text not null default '',
  generated_at timestamptz,
  -- Chosen by the owner; null: the best frame.
  cover_ms int check (cover_ms >= 0),
  error text,
  updated_at timestamptz not null default now()
);
create index video_enrichment_pending on video_enrichment (asset_id) where status = 'pending';
-- Those that other models have described are found without looking at the rest.
create index video_enrichment_models on video_enrichment (models, asset_id)
  where status in ('ready', 'unavailable');

-- Of a video the frames that say most about it; their pictures are derived files.
create table video_frame (
  id uuid primary key,
  asset_id uuid not null references asset on delete cascade,
  at_ms int not null check (at_ms >= 0),
  -- The scene that it stands for.
  start_ms int not null,
  end_ms int not null,
  rank int not null check (rank >= 1),
  score real not null check (score between 0 and 1),
  source text not null,
  -- Relative to the derived folder.
  name text not null,
  size bigint not null,
  tag text not null,
  -- The model of its vector; null: it has none.
  vector_model text,
  unique (asset_id, rank)
);
create trigger video_frame_embedding_forgotten after delete on video_frame
  referencing old table as gone for each statement execute function forget_embeddings();

create table video_moment (
  id uuid primary key,
  asset_id uuid not null references asset on delete cascade,
  kind text not null check (kind in ('generated', 'manual')),
  start_ms int not null check (start_ms >= 0),
  end_ms int not null,
  title text,
  -- By the machine.
  caption text,
  -- By the owner.
  transcript text,
  frame_id uuid references video_frame on delete set null,
  source text,
  models text,
  -- Weight A: title and caption; D: transcript.
  words tsvector not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check (start_ms <= end_ms),
  check (kind = 'manual' or transcript is null and source is not null)
);
create index video_moment_asset on video_moment (asset_id, start_ms);
create index video_moment_frame on video_moment (frame_id) where frame_id is not null;
create index video_moment_words on video_moment using gin (words);

insert into video_enrichment (asset_id)
select id from asset where type = 'VIDEO' and visibility <> 'hidden';

-- Pictures that are to be compared with all others. Rows are only added; a job takes them away.
create table duplicate_change (
  id bigint primary key generated always as identity,
  asset_id uuid not null,
  model_id text not null
);

-- Assets of one account that look the same, each pair once.
create table duplicate_pair (
  owner_id uuid not null,
  first_id uuid not null references asset on delete cascade,
  second_id uuid not null references asset on delete cascade,
  score real not null,
  primary key (first_id, second_id),
  check (first_id < second_id)
);
create index duplicate_pair_owner on duplicate_pair (owner_id);
create index duplicate_pair_second on duplicate_pair (second_id);

-- Sets that the owner wants to keep as they are, by their contents: found again, in whole or in part,
-- they are no news.
create table duplicate_decision (
  owner_id uuid not null references app_user on delete cascade,
  fingerprint uuid not null,
  sha256 bytea not null,
  decided_at timestamptz not null default now(),
  primary key (owner_id, fingerprint, sha256)
);
create index duplicate_decision_content on duplicate_decision (owner_id, sha256);
