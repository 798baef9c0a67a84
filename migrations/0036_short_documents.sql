-- Every photo that shows recognized text is a document, also one with a few letters.
create or replace function document_placed() returns trigger language plpgsql as $$
begin
  select asset.owner_id, asset.taken_at, asset.type = 'IMAGE' and new.folded <> ''
    and is_on_shelf(asset.visibility, asset.locked_at, asset.trashed_at)
  into new.owner_id, new.taken_at, new.is_listed
  from asset where asset.id = new.asset_id;
  return new;
end $$;
update document set is_listed = is_listed where not has_enough;
alter table document drop column has_enough;
