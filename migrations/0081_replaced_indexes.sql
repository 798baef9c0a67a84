-- Indexes that those of 0080 replace, and those of metadata without owner: each search reads the owner's.
drop index asset_trash;
drop index asset_trash_name;
drop index asset_trash_size;
drop index asset_trash_taken;
drop index asset_broken;
drop index asset_damaged;
drop index asset_exif_city;
drop index asset_exif_city_name;
drop index asset_exif_state;
drop index asset_exif_make;
drop index asset_exif_model;
drop index asset_exif_lens;
