-- Stacks: assets listed as one.

-- Stacks.
create table stack (
  id uuid primary key default gen_random_uuid(), -- identifier
  owner_id uuid not null references app_user on delete cascade, -- account
  -- top item chosen by the owner; checked at commit, when a deleted one has been replaced
  primary_id uuid not null unique references asset deferrable initially deferred,
  created_at timestamptz not null default now(), -- creation
  updated_at timestamptz not null default now() -- last change
);
-- Pages of the list.
create index stack_listed on stack (owner_id, created_at desc, id desc);
-- Pages of the sync stream.
create index stack_of_owner on stack (owner_id, id);

alter table asset add foreign key (stack_id) references stack on delete set null;

-- The scope that lists an asset. In each scope one member of a stack stands for the others there: trashing
-- the top item shows the next, restoring it puts it on top again.
create function stack_scope(visibility text, locked_at timestamptz, trashed_at timestamptz)
  returns text language sql immutable parallel safe as $$
  select case when trashed_at is null then '' else 'trash ' end
    || case when locked_at is not null then 'locked' when trashed_at is null then visibility else '' end
$$;

-- Updates stacks after any change of their members: top items, children, and stacks with a single member
-- are deleted. `left_ids`: stacks that a member left.
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
        stack_scope(member.visibility, member.locked_at, member.trashed_at)
      order by member.id = stack.primary_id desc, member.taken_at, member.id) > 1 as is_child
    from asset member join stack on stack.id = member.stack_id
    where member.stack_id = any(ids)
  ), flipped as (
    update asset set is_stack_child = wanted.is_child from wanted
    where asset.id = wanted.id and asset.is_stack_child <> wanted.is_child
    returning asset.stack_id
  )
  update stack set updated_at = now() where id in (select stack_id from flipped);
  -- Each member is listed with the number of members, also those in other months than the changed ones.
  perform stamp_months(array(select id from asset where stack_id = any(ids)));
end $$;

-- Settles the stacks of changed or deleted assets.
create function settle_stacks_of(before asset[], after asset[]) returns void language plpgsql as $$
declare
  ids uuid[];
  left_ids uuid[];
begin
  left_ids := array(
    select distinct stack_id from (
      select id, stack_id from (
        select id, stack_id, 1 as sign from unnest(after) where stack_id is not null
        union all
        select id, stack_id, -1 from unnest(before) where stack_id is not null
      ) side group by id, stack_id having sum(sign) < 0
    ) moved);
  ids := left_ids || array(
    select distinct stack_id from (
      select id, stack_id from (
        select id, stack_id, stack_scope(visibility, locked_at, trashed_at) as scope, 1 as sign
        from unnest(after) where stack_id is not null
        union all
        select id, stack_id, stack_scope(visibility, locked_at, trashed_at), -1
        from unnest(before) where stack_id is not null
      ) side group by id, stack_id, scope having sum(sign) > 0
    ) moved);
  if cardinality(ids) > 0 then perform settle_stacks(ids, left_ids); end if;
end $$;

create function stack_primary_changed() returns trigger language plpgsql as $$
begin
  perform settle_stacks(array[new.id], '{}');
  return null;
end $$;
create trigger stack_primary_changed after update of primary_id on stack for each row
  when (old.primary_id is distinct from new.primary_id) execute function stack_primary_changed();
