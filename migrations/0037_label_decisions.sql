-- Labels that owners have confirmed or removed.

-- Decisions about labels. They hold whatever a model says later.
create table asset_label_decision (
  asset_id uuid not null references asset on delete cascade, -- asset
  label text not null, -- name, as in asset_label, whatever its source
  is_right boolean not null, -- confirmed; false: removed
  primary key (asset_id, label)
);
call watch_rows('asset_label_decision', 'insert, update, delete', 'asset_part_text_changed');
