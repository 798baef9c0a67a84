-- Runs of workflows for existing items can be undone.

alter table workflow_run add column backfill_id uuid; -- run for existing items that it belongs to; null: an event has started it

alter table workflow_backfill add column keeps_changes boolean not null default true; -- what it has changed is known: it is among the latest 20 of its account
alter table workflow_backfill add column undone_at timestamptz; -- request of its undo

-- Changes that the actions of such a run have made, until it is undone or is not among the latest of its account. No
-- foreign key to the run: with a million changes, deleting a workflow would take seconds. The sweep deletes the rest.
create table workflow_change (
  backfill_id uuid not null, -- run
  asset_id uuid not null references asset on delete cascade, -- asset
  field text not null
    check (field in ('favorite', 'visibility', 'rating', 'description', 'tag', 'album')), -- what was changed
  target_id uuid, -- tag or album that the asset got; null: another field
  former jsonb, -- value before: {"value", "isEdited"}; null: it did not have the tag, or was not in the album
  latter jsonb -- value after; of an album, when the asset was added to it
);
create unique index workflow_change_order on workflow_change (backfill_id, asset_id, field, target_id)
  nulls not distinct;
-- The changes of an asset that is deleted.
create index workflow_change_asset on workflow_change (asset_id);
