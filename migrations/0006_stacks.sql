create table stack (
  id uuid primary key default gen_random_uuid(),
  owner_id uuid not null references app_user on delete cascade,
  -- The member that the owner chose to stand for the others. Checked at commit: a member that is
  -- deleted has its successor by then.
  primary_id uuid not null unique references asset deferrable initially deferred,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index stack_owner on stack (owner_id);

alter table asset
  add column stack_id uuid references stack on delete set null,
  -- Counts every move between Timeline, archive, Locked and trash, and every change of the favorite:
  -- who undoes a change compares it, so that a later change of somebody else stays.
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
    or old.trashed_at is distinct from new.trashed_at
    or old.is_favorite is distinct from new.is_favorite)
  execute function asset_state_changed();

-- What is listed together: in each of these, one member of a stack stands for the others that are
-- there. So trashing the one on top shows the next, and restoring it puts it on top again.
create function stack_shelf(visibility text, locked_at timestamptz, trashed_at timestamptz)
  returns text language sql immutable parallel safe as $$
  select case when trashed_at is null then '' else 'trash ' end
    || case when locked_at is not null then 'locked' when trashed_at is null then visibility else '' end
$$;

-- Makes these stacks what they should be after anything that happened to their members. `left_ids`:
-- those that a member left; a single one that remains is no stack.
create function settle_stacks(ids uuid[], left_ids uuid[]) returns void language plpgsql as $$
declare
  dissolved uuid[];
begin
  perform 1 from stack where id = any(ids) order by id for update;
  dissolved := array(
    select id from stack where id = any(left_ids)
      and (select count(*) from asset where asset.stack_id = stack.id) < 2);
  delete from stack where id = any(dissolved);
  update stack set updated_at = now(), primary_id = (
    select id from asset where asset.stack_id = stack.id
    order by trashed_at is not null, locked_at is not null, visibility <> 'timeline', taken_at, id
    limit 1)
  where id = any(left_ids)
    and not exists (select from asset where asset.stack_id = stack.id and asset.id = stack.primary_id);
  with wanted as (
    select member.id, row_number() over (
      partition by member.stack_id,
        stack_shelf(member.visibility, member.locked_at, member.trashed_at)
      order by member.id = stack.primary_id desc, member.taken_at, member.id) > 1 as is_child
    from asset member join stack on stack.id = member.stack_id
    where member.stack_id = any(ids)
  ), flipped as (
    update asset set is_stack_child = wanted.is_child from wanted
    where asset.id = wanted.id and asset.is_stack_child <> wanted.is_child
    returning asset.stack_id
  )
  update stack set updated_at = now() where id in (select stack_id from flipped);
end $$;

create function asset_stacks_settled() returns trigger language plpgsql as $$
declare
  ids uuid[];
  left_ids uuid[];
begin
  if tg_op = 'DELETE' then
    left_ids := array(select distinct stack_id from gone where stack_id is not null);
    ids := left_ids;
  else
    if not exists (select from gone where stack_id is not null)
      and not exists (select from added where stack_id is not null) then return null; end if;
    -- One pass over both sides instead of a join: the plan is made once, for one row or for a million.
    left_ids := array(
      select distinct stack_id from (
        select id, stack_id from (
          select id, stack_id, 1 as sign from added where stack_id is not null
          union all
          select id, stack_id, -1 from gone where stack_id is not null
        ) side group by id, stack_id having sum(sign) < 0
      ) moved);
    ids := left_ids || array(
      select distinct stack_id from (
        select id, stack_id from (
          select id, stack_id, stack_shelf(visibility, locked_at, trashed_at) as shelf, 1 as sign
          from added where stack_id is not null
          union all
          select id, stack_id, stack_shelf(visibility, locked_at, trashed_at), -1
          from gone where stack_id is not null
        ) side group by id, stack_id, shelf having sum(sign) > 0
      ) moved);
  end if;
  if cardinality(ids) > 0 then perform settle_stacks(ids, left_ids); end if;
  return null;
end $$;
create trigger asset_stacks_settled_update after update on asset
  referencing old table as gone new table as added for each statement
  execute function asset_stacks_settled();
create trigger asset_stacks_settled_delete after delete on asset
  referencing old table as gone for each statement execute function asset_stacks_settled();

-- Nothing is hidden behind a stack that it is not in.
create function asset_unstacked() returns trigger language plpgsql as $$
begin
  new.is_stack_child := false;
  new.updated_at := greatest(new.updated_at, now());
  return new;
end $$;
create trigger asset_unstacked before update on asset for each row
  when (new.stack_id is null and old.stack_id is not null) execute function asset_unstacked();

create function stack_primary_changed() returns trigger language plpgsql as $$
begin
  perform settle_stacks(array[new.id], '{}');
  return null;
end $$;
create trigger stack_primary_changed after update of primary_id on stack for each row
  when (old.primary_id is distinct from new.primary_id) execute function stack_primary_changed();
