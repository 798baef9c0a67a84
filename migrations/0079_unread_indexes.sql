-- Indexes that saved less than 10 ms of 1,000,000 assets, or cost more: the Timeline by capture without reading past
-- archived items, a month of favorites, which are found by capture or in their month, and videos by length, of which a page
-- of long ones was all of them, sorted.
drop index asset_timeline_taken;
drop index asset_favorite;
drop index asset_duration;
