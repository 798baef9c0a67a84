-- Who has let a member in, and who these: nobody but the owner of the album, as a rule. What is hidden from
-- any of them, the album does not show to the member either.
alter table album_user add column invited_by uuid[] not null default '{}';
