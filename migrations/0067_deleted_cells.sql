-- Most deleted assets have no position, or their metadata was deleted before: then nothing is counted. The statement is
-- static, so that its plan is cached, while count_cells is planned at each call.
create or replace function asset_cells_left() returns trigger language plpgsql as $$
begin
  if exists (select from asset_exif exif
    where exif.asset_id = old.id and exif.latitude is not null and exif.longitude is not null) then
    perform count_cells(array[old.id], array[old.owner_id],
      array[-(old.visibility = 'timeline')::int], array[-(old.visibility = 'archive')::int]);
  end if;
  return old;
end $$;
