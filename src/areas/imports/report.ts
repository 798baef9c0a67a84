/** Counts of files, if nothing else is said. */
export type ImportCounts = {
  taken: number;
  takenBytes: number;
  /** In the library before, or twice in the folder. */
  duplicates: number;
  /** In the trash of the library: they stay there. */
  inTrash: number;
  /** In the trash of the service that made the export. */
  skipped: number;
  refused: number;
  /** Listed by name: files without facts, date or album, and entries of albums without a file. */
  noted: number;
  livePhotos: number;
  stacks: number;
  /** Albums that got items, and the items. */
  albums: number;
  albumItems: number;
  /** Entries of albums that name more than one file. */
  ambiguousAlbumItems: number;
};

export type ImportReport = ImportCounts & {
  /** Numbers of files that are no photo, video or sound, by extension; 'none' without one. */
  readonly others: Record<string, number>;
  /** Reason why the import ended early. */
  stopped?: string;
  stopCode?: 'quota_exceeded' | 'storage_full';
};

export const createReport = (): ImportReport => ({
  taken: 0,
  takenBytes: 0,
  duplicates: 0,
  inTrash: 0,
  skipped: 0,
  refused: 0,
  noted: 0,
  livePhotos: 0,
  stacks: 0,
  albums: 0,
  albumItems: 0,
  ambiguousAlbumItems: 0,
  others: {},
});
