-- Where things are that one of several servers holds: it gets the requests for them, see src/nodes.
alter table instance add column node_secret bytea; -- proves that a request was sent on by a node; null: none was yet
alter table node add column staging_id uuid; -- identity of its folder for unfinished uploads; null: a worker, or the only server
alter table upload add column staging_id uuid; -- identity of the folder that its file is in; null: that of the only server
alter table studio_stream add column node_id uuid; -- node whose child sends it; null: one of an earlier version

-- The connections of an API key that is deleted or may do something else end at once at every server, as those of a
-- session do: whoever may still connect does so again.
call watch_rows('api_key', 'delete', 'session_announced');
create function api_key_changed() returns trigger language plpgsql as $$
begin
  perform announce(new.user_id, 'session', array[new.id]) where is_listened_to(new.user_id);
  return null;
end $$;
create trigger api_key_changed after update of permissions on api_key for each row
  when (old.permissions <> new.permissions) execute function api_key_changed();
