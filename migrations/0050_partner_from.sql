-- A partner may see only what was taken on a day or later.

alter table partner add column shared_from date; -- first local day of capture; null: all

-- A copy keeps what is not shared any more until it is told to remove it.
create function log_assets_shared_no_more(before partner, after partner) returns void language sql as $$
  insert into change (scope_id, kind, subject_id)
  select after.viewer_id, 'asset_unshared', asset.id from asset
  where asset.owner_id = after.sharer_id
    and is_on_timeline(asset.visibility, asset.locked_at, asset.trashed_at)
    and asset.local_taken_at < after.shared_from
    and asset.local_taken_at >= coalesce(before.shared_from, '-infinity')
    and exists (select from app_user where app_user.id = after.viewer_id)
$$;

create or replace function partner_resent() returns trigger language plpgsql as $$
begin
  perform log_unshared_stacks(old.sharer_id, old.viewer_id, old.since);
  if old.hides_places <> new.hides_places then
    perform resend_albums(old.sharer_id);
  end if;
  perform log_assets_shared_no_more(old, new);
  new.since := pg_current_xact_id();
  return new;
end $$;
drop trigger partner_resent on partner;
create trigger partner_resent before update of hides_places, shared_from on partner for each row
  when ((old.hides_places, old.shared_from) is distinct from (new.hides_places, new.shared_from))
  execute function partner_resent();
