-- Machines beside an object store have data folders of their own, of which one gets the files when they are moved back:
-- see src/storage/file-folder.ts.
alter table instance add column file_folder_id uuid; -- identity of the data folder that files were moved to; null: each that has the mark of the library
