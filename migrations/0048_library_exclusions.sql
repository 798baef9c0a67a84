-- Libraries that leave out what 0.2.0 or 0.3.0 proposed leave out what is proposed now. Other patterns are somebody's choice.
update library set exclusion_patterns = array[
  '**/lost+found/**', '**/System Volume Information/**', '**/$RECYCLE.BIN/**', '**/.Trashes/**',
  '**/.Spotlight-V100/**', '**/.fseventsd/**', '**/.snapshots/**', '**/.Recycle.Bin/**', '**/@eaDir/**',
  '**/#recycle/**', '**/#snapshot/**', '**/@Recycle/**', '**/.@__thumb/**', '**/.trash/**', '**/.Trash-*/**',
  '**/.stversions/**', '**/.stfolder/**', '**/._*', '**/.trashed-*', '**/.pending-*', '**/.dtrash/**',
  '**/.thumbnails/**', '**/.AppleDouble/**', '**/*.lrdata/**',
  '**/*.photoslibrary/{resources,database,private,Previews,Thumbnails}/**']
where exclusion_patterns in (
  array[
    '**/@eaDir/**', '**/#recycle/**', '**/#snapshot/**', '**/@Recycle/**', '**/.@__thumb/**', '**/.trash/**',
    '**/.Trash-*/**', '**/.stversions/**', '**/.stfolder/**', '**/._*'],
  array[
    '**/lost+found/**', '**/System Volume Information/**', '**/$RECYCLE.BIN/**', '**/.Trashes/**',
    '**/.Spotlight-V100/**', '**/.fseventsd/**', '**/.snapshots/**', '**/.Recycle.Bin/**', '**/@eaDir/**',
    '**/#recycle/**', '**/#snapshot/**', '**/@Recycle/**', '**/.@__thumb/**', '**/.trash/**',
    '**/.Trash-*/**', '**/.stversions/**', '**/.stfolder/**', '**/._*']);
