-- Scenes of pictures are labels, too.

-- What the whole is, objects in it, colours, or scenes that follow from all of these: src/areas/search/labels/scenes.ts.
alter table asset_label drop constraint asset_label_source_check;
alter table asset_label add constraint asset_label_source_check
  check (source in ('tags', 'objects', 'colours', 'scenes'));
