-- Labels that models give to pictures.

-- Labels of an asset. The text index holds those that are likely.
create table asset_label (
  asset_id uuid not null references asset on delete cascade, -- asset
  source text not null check (source in ('tags', 'objects', 'colours')), -- what the whole is, objects in it, or colours
  label text not null, -- name of that model, as 'tabby'
  score real not null check (score between 0 and 1), -- probability
  primary key (asset_id, source, label)
);
call watch_rows('asset_label', 'insert, update, delete', 'asset_part_text_changed');

-- Objects were not kept before: each asset is analysed again.
delete from asset_analysis where task = 'objects';
