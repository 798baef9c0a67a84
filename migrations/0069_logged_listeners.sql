-- After a crash PostgreSQL makes an unlogged table from its initial copy, which a copy of the database may lack on the disk:
-- then the table cannot be read, and each change of an item reads it.
alter table live_listener set logged;
