-- Whose box it was before the owner moved it: that of the machine follows the next look at the photo.
alter table face_correction add column previous_box_by text
  check (previous_box_by in ('machine', 'owner'));

update face_correction moved set previous_box_by = case
  when exists (select from face where face.id = moved.face_id and face.source <> 'manual')
    and not exists (select from face_correction before
      where before.face_id = moved.face_id and before.kind = 'box-moved'
        and before.seq < moved.seq and before.undone_at is null)
  then 'machine' else 'owner' end
where kind = 'box-moved';
