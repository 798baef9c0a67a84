-- Two standbys that are promoted one after the other may begin a timeline of the same number, with different commits: see
-- src/db/epoch.ts.
alter table change_log add column nonce uuid; -- chosen for the epoch when it was recorded; null: no other one was before
create function change_log_epoch_changed() returns trigger language plpgsql as $$
begin
  new.nonce := gen_random_uuid();
  return new;
end $$;
create trigger change_log_epoch_changed before update of epoch on change_log for each row
  when (old.epoch not in ('', new.epoch)) execute function change_log_epoch_changed();
