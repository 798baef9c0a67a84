-- Places that links hide from guests.

-- Links that hide from guests where items were taken.
create table shared_link_placeless (
  link_id uuid primary key references shared_link on delete cascade -- shared link
);

-- Derived files of the kind 'bare_image': a picture without metadata, for guests from whom places are hidden.
alter table asset_file drop constraint asset_file_kind_check;
alter table asset_file add constraint asset_file_kind_check check (kind in ('thumbnail', 'preview',
  'fullsize', 'encoded_video', 'bare_video', 'bare_image', 'sidecar', 'edited_thumbnail',
  'edited_preview', 'edited_fullsize'));
