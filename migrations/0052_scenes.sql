-- Scenes of pictures are labels, too.

-- They follow from the other ones, the light and the text: src/areas/search/labels/scenes.ts.
alter table asset_label drop constraint asset_label_source_check;
alter table asset_label add constraint asset_label_source_check
  check (source in ('tags', 'objects', 'colours', 'scenes'));
