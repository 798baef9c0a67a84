-- Search: text index and words.

-- Search index. The words are made by the application, since PostgreSQL cannot segment every script.
create table asset_text (
  asset_id uuid primary key references asset on delete cascade, -- asset
  -- weight A: description and tags, B: places, C: file name and captions, D: recognised text and speech
  words tsvector not null
);
-- The search for words.
create index asset_text_words on asset_text using gin (words);

-- All indexed words, for spelling correction.
create table search_word (
  word text primary key -- word
);
-- Words that are like a misspelt one.
create index search_word_trigrams on search_word using gin (word gin_trgm_ops);

-- Text that other areas found in an asset.
create table asset_text_part (
  asset_id uuid not null references asset on delete cascade, -- asset
  kind text not null check (kind in ('read', 'caption', 'spoken')), -- recognised text, caption, or speech
  text text not null, -- text
  primary key (asset_id, kind)
);

-- Assets to be indexed again. Rows are added by triggers and deleted by a job.
create table asset_text_change (
  id bigint primary key generated always as identity, -- identifier
  asset_id uuid not null -- asset
);

-- Queues assets whose metadata has other words.
create function queue_exif_text(before asset_exif[], after asset_exif[]) returns void
  language plpgsql as $$
begin
  insert into asset_text_change (asset_id)
  select asset_id from (
    select asset_id, hash_record_extended(
      (description, country, state, city, make, model), 0) as content from unnest(after)
    union all
    select asset_id, hash_record_extended((description, country, state, city, make, model), 0)
    from unnest(before)
    -- Not yet known is as good as empty.
    union all
    select asset_id, hash_record_extended((''::text, null::text, null::text, null::text, null::text,
      null::text), 0)
    from unnest(after) where cardinality(before) = 0
  ) side group by asset_id having min(content) <> max(content);
end $$;

create function asset_part_text_changed() returns trigger language plpgsql as $$
begin
  insert into asset_text_change (asset_id) select distinct asset_id from touched;
  return null;
end $$;
call watch_rows('asset_text_part', 'insert, update, delete', 'asset_part_text_changed');

create function tag_text_changed() returns trigger language plpgsql as $$
begin
  insert into asset_text_change (asset_id)
  select distinct tag_asset.asset_id
  from (select id, value from added except select id, value from gone) renamed
  join tag_asset on tag_asset.tag_id = renamed.id;
  return null;
end $$;
call watch_sides('tag', 'update', 'tag_text_changed');
