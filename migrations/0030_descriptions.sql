-- Parts of descriptions are found without reading those of a million items. Empty ones are not in it.
create index asset_exif_description on asset_exif using gin (description gin_trgm_ops);
