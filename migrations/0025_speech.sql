-- How far the sound of a video has been written down. Only its bytes matter, and those never change:
-- what was heard stays right however the video is turned.
alter table video_enrichment
  -- The model that has heard all of it; '' while none has.
  add column heard_by text not null default '',
  -- The model that is at it, and how far it has come.
  add column hearing_by text not null default '',
  add column heard_ms int not null default 0 check (heard_ms >= 0),
  -- Spoken most, as 'en'; null: unknown.
  add column language text,
  -- Why nothing can be heard, as far as the file is to blame: not tried again by itself.
  add column speech_error text;

-- Those that no model or another one has heard are found without looking at the rest.
create index video_enrichment_heard on video_enrichment (heard_by, asset_id)
  where status <> 'pending';

-- What is said in a video, line by line; of an earlier hearing, from the place on that the present one
-- has not reached.
create table video_speech (
  id uuid primary key,
  asset_id uuid not null references asset on delete cascade,
  start_ms int not null check (start_ms >= 0),
  end_ms int not null,
  text text not null,
  language text,
  confidence real not null check (confidence between 0 and 1),
  model text not null,
  -- Made by the application as those of a moment.
  words tsvector not null,
  check (start_ms <= end_ms)
);
create index video_speech_asset on video_speech (asset_id, start_ms);
create index video_speech_words on video_speech using gin (words);
