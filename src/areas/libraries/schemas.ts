import { t } from 'elysia';
import { stringEnum, Timestamp, Uuid } from '../../http/schemas.ts';

const Name = t.String({ minLength: 1, maxLength: 300 });
/** Empty ones are refused in the words of Immich. */
const Texts = t.Array(t.String({ maxLength: 4_096 }), { maxItems: 128, uniqueItems: true });
const Count = t.Integer({ minimum: 0 });

export const CreateLibraryDto = t.Object(
  {
    ownerId: Uuid,
    name: t.Optional(Name),
    importPaths: t.Optional(Texts),
    exclusionPatterns: t.Optional(Texts),
  },
  { title: 'CreateLibraryDto' },
);
export type CreateLibrary = typeof CreateLibraryDto.static;

export const UpdateLibraryDto = t.Object(
  {
    name: t.Optional(Name),
    importPaths: t.Optional(Texts),
    exclusionPatterns: t.Optional(Texts),
  },
  { title: 'UpdateLibraryDto' },
);
export type UpdateLibrary = typeof UpdateLibraryDto.static;

export const LibraryResponseDto = t.Object(
  {
    id: Uuid,
    ownerId: Uuid,
    name: t.String(),
    assetCount: Count,
    importPaths: t.Array(t.String()),
    exclusionPatterns: t.Array(t.String()),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    refreshedAt: t.Nullable(Timestamp),
  },
  { title: 'LibraryResponseDto' },
);
export type Library = typeof LibraryResponseDto.static;

export const ValidateLibraryDto = t.Object(
  { importPaths: t.Optional(Texts), exclusionPatterns: t.Optional(Texts) },
  { title: 'ValidateLibraryDto' },
);
export type ValidateLibrary = typeof ValidateLibraryDto.static;

export const ValidateLibraryResponseDto = t.Object(
  {
    importPaths: t.Optional(
      t.Array(
        t.Object(
          { importPath: t.String(), isValid: t.Boolean(), message: t.Optional(t.String()) },
          { title: 'ValidateLibraryImportPathResponseDto' },
        ),
      ),
    ),
  },
  { title: 'ValidateLibraryResponseDto' },
);

export const LibraryFolderQuery = t.Object({
  /** Without it the folders of the configuration are listed. */
  path: t.Optional(t.String({ minLength: 1, maxLength: 4_096 })),
});
export type LibraryFolderQuery = typeof LibraryFolderQuery.static;

export const LibraryFolderResponseDto = t.Object(
  {
    path: t.Nullable(t.String()),
    /** The folder above it; null: none that may be listed. */
    parent: t.Nullable(t.String()),
    /** Why a library cannot have it. */
    fault: t.Nullable(t.String()),
    /** Paths of the folders in it, by name; no symbolic links. */
    folders: t.Array(t.String()),
    /** There are more. */
    isTruncated: t.Boolean(),
  },
  { title: 'LibraryFolderResponseDto' },
);
export type LibraryFolder = typeof LibraryFolderResponseDto.static;

export const LibraryStatsResponseDto = t.Object(
  { photos: Count, videos: Count, total: Count, usage: Count },
  { title: 'LibraryStatsResponseDto' },
);

export const LibraryStateResponseDto = t.Object(
  {
    id: Uuid,
    /** Why the last scan could not see all files; null: it did. */
    scanError: t.Nullable(t.String()),
    /** Symbolic links and names that the last scan has skipped; null: none. */
    scanNote: t.Nullable(t.String()),
    /** Files that are gone, and too many at once to be believed without a confirmation. */
    unconfirmedFiles: Count,
    /** Files whose items are offline. */
    missingFiles: Count,
    /** Files that wait to be read. */
    unreadFiles: Count,
    /** Files that could not be taken in. */
    refusedFiles: Count,
    /** Whether changes of files are noticed, by events of the system or by a scan from time to time. */
    watchMode: stringEnum(['off', 'events', 'polling']),
    /** Why it is polled. */
    watchReason: t.Nullable(t.String()),
    /** Items whose changes wait to be written to XMP files. */
    unwrittenSidecars: Count,
    /** Why XMP files cannot be written; null: they can. */
    sidecarError: t.Nullable(t.String()),
  },
  { title: 'LibraryStateResponseDto' },
);
export type LibraryState = typeof LibraryStateResponseDto.static;
