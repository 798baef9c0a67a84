-- Videos and sounds without what they tell about themselves, for those who are not to know the places.
-- Every row was checked against a shorter list: there is nothing to look at again.
alter table asset_file drop constraint asset_file_kind_check;
alter table asset_file add constraint asset_file_kind_check
  check (kind in ('thumbnail', 'preview', 'fullsize', 'encoded_video', 'bare_video', 'sidecar',
    'edited_thumbnail', 'edited_preview', 'edited_fullsize')) not valid;
