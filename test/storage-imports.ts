/**
 * The files outside src/storage that look behind its index.ts, and why. Everybody else knows files of the library, not
 * whether one is in a folder or in the object store.
 */
export const STORAGE_KEEPERS: Readonly<Record<string, RegExp>> = {
  'opens and closes the folders with the process':
    /^src\/(application|server)\.ts$|^src\/commands\/(database|maintenance)\.ts$|^src\/jobs\/storage-check\.ts$/,
  'moves, compares and counts objects, for the owner':
    /^src\/areas\/object-storage\/|^src\/commands\/storage\.ts$|^src\/areas\/server\/storage-use\//,
  'checks the bytes of originals, in their folders':
    /^src\/areas\/integrity\/|^src\/commands\/verify\.ts$/,
  'removes originals and what was left behind': /^src\/areas\/trash\/(removal|sweep)\//,
  'tells the owner that a disk or the object store is away':
    /^src\/areas\/server\/(problems|readiness)\.domain\.ts$|^src\/commands\/doctor\.checks\.ts$/,
  'copies the whole library, or its backups':
    /^src\/maintenance\/(copy-library|stored-backups|update-backup)\.ts$/,
  'keeps unfinished uploads': /^src\/staging\//,
};
