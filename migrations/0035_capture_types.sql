-- How items were made (screenshots, selfies, panoramas, bursts) is in the text index.

-- Queues assets whose metadata has other words, or tells another way of making.
create or replace function queue_exif_text(before asset_exif[], after asset_exif[]) returns void
  language plpgsql as $$
begin
  insert into asset_text_change (asset_id)
  select asset_id from (
    select asset_id, hash_record_extended((description, country, state, city, make, model,
      lens_model, burst_id, projection_type, fps, exif_width, exif_height), 0) as content
    from unnest(after)
    union all
    select asset_id, hash_record_extended((description, country, state, city, make, model,
      lens_model, burst_id, projection_type, fps, exif_width, exif_height), 0)
    from unnest(before)
    -- Not yet known is as good as empty.
    union all
    select asset_id, hash_record_extended((''::text, null::text, null::text, null::text, null::text,
      null::text, null::text, null::text, null::text, null::double precision, null::int, null::int), 0)
    from unnest(after) where cardinality(before) = 0
  ) side group by asset_id having min(content) <> max(content);
end $$;

insert into asset_text_change (asset_id) select id from asset;
