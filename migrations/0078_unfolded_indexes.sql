-- Indexes of names and descriptions as they are written. The people of one account are read whole.
drop index asset_file_name;
drop index asset_exif_description;
drop index person_name;
