-- Labels that models give to pictures, and what their owners say about them.

-- Labels of an asset. The text index holds those that are likely.
create table asset_label (
  asset_id uuid not null references asset on delete cascade, -- asset
  source text not null check (source in ('tags', 'objects', 'colours', 'scenes')), -- what the whole is, objects in it, colours, or scenes: src/areas/search/labels/scenes.ts
  label text not null, -- name of that model, as 'tabby'
  score real not null check (score between 0 and 1), -- probability
  primary key (asset_id, source, label)
);
call watch_rows('asset_label', 'insert, update, delete', 'asset_part_text_changed');

-- Objects were not kept before: each asset is analysed again.
delete from asset_analysis where task = 'objects';

-- Decisions about labels. They hold whatever a model says later.
create table asset_label_decision (
  asset_id uuid not null references asset on delete cascade, -- asset
  label text not null, -- name, as in asset_label, whatever its source
  is_right boolean not null, -- confirmed; false: removed
  primary key (asset_id, label)
);
call watch_rows('asset_label_decision', 'insert, update, delete', 'asset_part_text_changed');

-- When the models of a library changed: the vectors before are kept for some time.
alter table analysis_model add column changed_at timestamptz not null default now(); -- last change
