-- The text index knows the month of capture: of words and labels that many assets have, the newest ones are found
-- without reading the others.

-- Copies the new months of assets to album_asset, tag_asset and face, and queues the assets for the text index.
create or replace function move_links(before asset[], after asset[]) returns void language plpgsql as $$
declare
  ids uuid[] := array(
    select id from (
      select id, local_month from unnest(before) union all select id, local_month from unnest(after)
    ) side group by id having min(local_month) <> max(local_month));
begin
  if cardinality(ids) = 0 then return; end if;
  update album_asset set local_month = asset.local_month from asset
  where asset_id = any(ids) and asset.id = asset_id;
  update tag_asset set local_month = asset.local_month from asset
  where asset_id = any(ids) and asset.id = asset_id;
  -- The triggers of face run for every statement, also for one without rows.
  if exists (select from face where asset_id = any(ids) and local_month is not null) then
    update face set local_month = asset.local_month from asset
    where asset_id = any(ids) and asset.id = asset_id and face.local_month is not null;
  end if;
  insert into asset_text_change (asset_id) select unnest(ids);
end $$;

-- Rows are written at once, and the index is built anew: row by row it takes several times as long.
drop index asset_text_words;
update asset_text set words = words || array_to_tsvector(array[':month:' || asset.local_month])
from asset where asset.id = asset_text.asset_id;
-- The search for words.
create index asset_text_words on asset_text using gin (words);
