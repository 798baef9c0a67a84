-- How light a picture is in each of 16 by 16 places: kept once it was compared with another.
create table picture_outline (
  asset_id uuid primary key references asset on delete cascade,
  light bytea not null check (octet_length(light) = 256)
);
-- In the row itself: it would not become smaller.
alter table picture_outline alter column light set storage plain;

-- How much the edges in both fall into the same places, -1 to 1; null: one has none, or no picture yet.
alter table duplicate_pair add column sameness real;

-- Pairs from before are compared again.
insert into duplicate_change (asset_id, model_id)
select analysis.asset_id, analysis.model_id from asset_analysis analysis
where analysis.task = 'feature' and analysis.asset_id in (
  select first_id from duplicate_pair union select second_id from duplicate_pair);
insert into job (name, queue, lane, payload, unique_key, priority)
select 'duplicates.match', 'duplicateDetection', 'background', '{}', 'all', -1
where exists (select from duplicate_change)
on conflict (name, unique_key) where state = 'waiting' do nothing;
