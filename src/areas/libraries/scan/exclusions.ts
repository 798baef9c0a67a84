/**
 * Files and folders that file systems, NAS systems, phones, photo and synchronisation programs keep beside the pictures.
 * A migration adds new patterns to libraries that have the defaults of an earlier version.
 */
export const PRESET_EXCLUSIONS: string[] = [
  '**/lost+found/**',
  '**/System Volume Information/**',
  '**/$RECYCLE.BIN/**',
  '**/.Trashes/**',
  '**/.Spotlight-V100/**',
  '**/.fseventsd/**',
  '**/.snapshots/**',
  '**/.Recycle.Bin/**',
  '**/@eaDir/**',
  '**/#recycle/**',
  '**/#snapshot/**',
  '**/@Recycle/**',
  '**/.@__thumb/**',
  '**/.trash/**',
  '**/.Trash-*/**',
  '**/.stversions/**',
  '**/.stfolder/**',
  '**/._*',
  // The trash of Android, and downloads that it has not finished.
  '**/.trashed-*',
  '**/.pending-*',
  // That of digiKam; copies of Android, of servers for Macs, of Lightroom, Photos, iPhoto and Aperture.
  '**/.dtrash/**',
  '**/.thumbnails/**',
  '**/.AppleDouble/**',
  '**/*.lrdata/**',
  '**/*.{photos,photo,ap}library/{resources,database,private,Previews,Thumbnails}/**',
];

/** Returns why a glob cannot be used; undefined if it can. */
export function findPatternFault(pattern: string): string | undefined {
  if (pattern.includes('\0')) return 'Must not contain a null character';
  if (pattern.startsWith('!')) return 'Must not begin with an exclamation mark';
  return undefined;
}

/** Returns whether an absolute path is left out. */
export function compileExclusions(patterns: readonly string[]): (path: string) => boolean {
  const globs = patterns.map((pattern) => new Bun.Glob(pattern));
  return (path) => globs.some((glob) => glob.match(path));
}

/** A name of a folder at any depth, without characters that mean something to a glob. */
const WHOLE_FOLDER = /^\*\*\/([^/*?[\]{}\\!]+)\/\*\*$/;

/** Returns the names of folders that patterns leave out as a whole, so that they are not even opened. */
export const listPrunedFolders = (patterns: readonly string[]): string[] =>
  patterns.flatMap((pattern) => WHOLE_FOLDER.exec(pattern)?.[1] ?? []);

/** Returns whether patterns leave out a folder with all that is below it. */
export function compileFolderExclusions(patterns: readonly string[]): (path: string) => boolean {
  const isExcluded = compileExclusions(patterns.filter((pattern) => pattern.endsWith('/**')));
  return (path) => isExcluded(`${path}/-`);
}
