-- The Timeline and the archive had indexes of their own by size and by type: those of the migration before have both.
drop index asset_archive_size, asset_archive_type, asset_size, asset_type;
