-- The stacks of an account in their order, page by page.
create index stack_listed on stack (owner_id, created_at desc, id desc);
drop index stack_owner;
-- And by id, as a partner's phone takes them.
create index stack_of_owner on stack (owner_id, id);

-- Of what is in an album, the few that it does not show now.
create index asset_off_shelf on asset (id)
  where visibility = 'hidden' or locked_at is not null or trashed_at is not null;

-- How many documents an account lists, by the month of their instants in UTC. Rows are added, never
-- changed: the truth is their sum, and a job folds them together. No foreign key: an account that is
-- deleted takes its documents along, which are counted then.
create table document_count (
  owner_id uuid not null,
  month date not null,
  documents bigint not null
);
create index document_count_owner on document_count (owner_id, month) include (documents);

create function document_month(taken_at timestamptz) returns date language sql immutable as $$
  select date_trunc('month', taken_at at time zone 'utc')::date
$$;

create function document_counted() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into document_count
    select owner_id, document_month(taken_at), count(*) from added where is_listed group by 1, 2;
  elsif tg_op = 'DELETE' then
    insert into document_count
    select owner_id, document_month(taken_at), -count(*) from gone where is_listed group by 1, 2;
  else
    insert into document_count
    select owner_id, month, sum(sign) from (
      select owner_id, document_month(taken_at) as month, 1 as sign from added where is_listed
      union all
      select owner_id, document_month(taken_at), -1 from gone where is_listed
    ) side group by 1, 2 having sum(sign) <> 0;
  end if;
  return null;
end $$;
create trigger document_counted_insert after insert on document
  referencing new table as added for each statement execute function document_counted();
create trigger document_counted_update after update on document
  referencing old table as gone new table as added for each statement
  execute function document_counted();
create trigger document_counted_delete after delete on document
  referencing old table as gone for each statement execute function document_counted();

insert into document_count
select owner_id, document_month(taken_at), count(*) from document where is_listed group by 1, 2;
