/** Folders in which disks and shares are found. Those that are not there are not shown. */
export const MEDIA_FOLDERS: string[] = [
  '/mnt',
  '/media',
  '/srv',
  '/home',
  '/photos',
  '/import',
  '/share',
  '/volume1',
  '/volume2',
];
