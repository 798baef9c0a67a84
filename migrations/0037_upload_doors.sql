-- The shared link through which a guest uploaded the asset; null: its owner brought it. Stays when the
-- link is deleted, so it references nothing.
alter table asset add column upload_link_id uuid;
-- A guest uploaded bytes that the owner has already: an item of its own, shown through the link. It does
-- not answer for its checksum; when the asset that does is deleted, a copy takes its place.
alter table asset add column is_copy boolean not null default false;
-- Of a video that was an item of its own before it became the moving half of a live photo: where it goes
-- when the still is deleted. Null: it came as a half, and is deleted with the still.
alter table asset add column standalone_visibility text
  check (standalone_visibility in ('timeline', 'archive'));

alter table asset drop constraint asset_owner_id_sha1_key;
create unique index asset_checksum on asset (owner_id, sha1) where not is_copy;
create index asset_copy on asset (owner_id, sha1) where is_copy;
