-- Pictures whose name tells another type than their bytes: what a browser is given follows from the bytes.
alter table asset add column content_type text; -- MIME type of the bytes, where the name tells another one
