-- Recognised text is indexed anew, with words that the end of a line or punctuation cuts.
insert into asset_text_change (asset_id) select asset_id from asset_text_part where kind = 'read';

-- Stripes and faces were read as a letter or two, as large as the picture: such photos are no documents.
update document set fills_picture = false
where fills_picture and length(folded) <= 4 and not exists (
  select from document_field field
  where field.asset_id = document.asset_id and field.action <> 'dismiss');
