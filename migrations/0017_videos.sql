-- Frames, moments and speech of videos.

-- State of the analysis of a video.
create table video_enrichment (
  asset_id uuid primary key references asset on delete cascade, -- video
  status text not null default 'pending'
    check (status in ('pending', 'processing', 'ready', 'failed', 'unavailable')), -- state
  source text, -- picture_revision that the frames were taken from; another one makes them outdated
  models text not null default '', -- models that described the frames; empty: none
  generated_at timestamptz, -- last analysis
  cover_ms int check (cover_ms >= 0), -- chosen cover frame; null: the best one
  error text, -- message of a failure
  updated_at timestamptz not null default now(), -- last change
  heard_by text not null default '', -- model that transcribed all of it; empty: none
  hearing_by text not null default '', -- model whose transcription is running
  heard_ms int not null default 0 check (heard_ms >= 0), -- progress of that transcription
  language text, -- predominant language, as 'en'; null: unknown
  speech_error text -- why the file cannot be transcribed; not retried automatically
);
create index video_enrichment_pending on video_enrichment (asset_id) where status = 'pending';
-- Videos described by other models.
create index video_enrichment_models on video_enrichment (models, asset_id)
  where status in ('ready', 'unavailable');
-- Videos transcribed by no model or another one.
create index video_enrichment_heard on video_enrichment (heard_by, asset_id)
  where status <> 'pending';

-- Representative frames of a video; their pictures are derived files.
create table video_frame (
  id uuid primary key, -- identifier
  asset_id uuid not null references asset on delete cascade, -- video
  at_ms int not null check (at_ms >= 0), -- position
  start_ms int not null, -- start of its scene
  end_ms int not null, -- end of its scene
  rank int not null check (rank >= 1), -- 1: the best
  score real not null check (score between 0 and 1), -- quality, 0 to 1
  source text not null, -- picture_revision that it was taken from
  name text not null, -- path in the derived folder
  size bigint not null, -- bytes
  tag text not null, -- ETag
  vector_model text, -- model of its embedding; null: none
  unique (asset_id, rank)
);

-- Moments: parts of a video with a title or caption.
create table video_moment (
  id uuid primary key, -- identifier
  asset_id uuid not null references asset on delete cascade, -- video
  kind text not null check (kind in ('generated', 'manual')), -- by a model, or by the owner
  start_ms int not null check (start_ms >= 0), -- start
  end_ms int not null, -- end
  title text, -- title
  caption text, -- generated caption
  transcript text, -- transcript written by the owner
  frame_id uuid references video_frame on delete set null, -- frame that shows it
  source text, -- picture_revision that it was generated from
  models text, -- models that generated it
  words tsvector not null default '', -- search index; weight A: title and caption, D: transcript
  created_at timestamptz not null default now(), -- creation
  updated_at timestamptz not null default now(), -- last change
  check (start_ms <= end_ms),
  check (kind = 'manual' or transcript is null and source is not null)
);
create index video_moment_asset on video_moment (asset_id, start_ms);
create index video_moment_frame on video_moment (frame_id) where frame_id is not null;
-- The search in moments.
create index video_moment_words on video_moment using gin (words);

-- Transcribed speech, line by line. Beyond video_enrichment.heard_ms, lines of the previous transcription.
create table video_speech (
  id uuid primary key, -- identifier
  asset_id uuid not null references asset on delete cascade, -- video
  start_ms int not null check (start_ms >= 0), -- start
  end_ms int not null, -- end
  text text not null, -- transcript
  language text, -- language, as 'en'
  confidence real not null check (confidence between 0 and 1), -- confidence, 0 to 1
  model text not null, -- model
  words tsvector not null, -- search index
  check (start_ms <= end_ms)
);
create index video_speech_asset on video_speech (asset_id, start_ms);
-- The search in transcripts.
create index video_speech_words on video_speech using gin (words);
