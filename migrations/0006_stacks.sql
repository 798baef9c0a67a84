create table stack (
  id uuid primary key default gen_random_uuid(),
  owner_id uuid not null references app_user on delete cascade,
  -- The member that stands for the others.
  primary_id uuid not null unique references asset,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index stack_owner on stack (owner_id);

alter table asset
  add column stack_id uuid references stack on delete set null,
  -- Counts every move between Timeline, archive, Locked and trash: who undoes a change compares it, so
  -- that a later change of somebody else stays.
  add column state_revision int not null default 0,
  -- A member that lost its stack would be hidden for ever: whoever removes a stack shows them first.
  add constraint asset_stack_child check (not is_stack_child or stack_id is not null);
create index asset_stack on asset (stack_id) where stack_id is not null;

create function asset_state_changed() returns trigger language plpgsql as $$
begin
  new.state_revision := old.state_revision + 1;
  return new;
end $$;
create trigger asset_state_changed before update on asset for each row
  when (old.visibility is distinct from new.visibility
    or old.locked_at is distinct from new.locked_at
    or old.trashed_at is distinct from new.trashed_at)
  execute function asset_state_changed();
