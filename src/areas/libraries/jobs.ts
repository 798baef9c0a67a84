import { sql } from 'drizzle-orm';
import { Type } from 'typebox';
import { defineJob, definePeriodicJob } from '../../jobs/define.ts';

const LibraryPayload = Type.Object({ libraryId: Type.String({ format: 'uuid' }) });

/** Compares the files of a library with those of the last scan. */
export const scanLibrary = defineJob({
  name: 'libraries.scan',
  queue: 'library',
  lane: 'background',
  attempts: 3,
  payload: LibraryPayload,
  uniqueKey: ({ libraryId }) => libraryId,
});

/** Compares the files of folders of a library with those of the last scan. */
export const scanFolders = defineJob({
  name: 'libraries.scanFolders',
  queue: 'library',
  lane: 'background',
  attempts: 3,
  payload: Type.Object({
    libraryId: Type.String({ format: 'uuid' }),
    folders: Type.Array(Type.Object({ path: Type.String(), isDeep: Type.Boolean() })),
  }),
  uniqueKey: ({ libraryId, folders }) =>
    `${libraryId} ${Bun.hash(JSON.stringify(folders)).toString(36)}`,
});

/** Scans all libraries. */
export const scanLibraries = defineJob({
  name: 'libraries.scanAll',
  queue: 'library',
  lane: 'background',
  attempts: 3,
  payload: Type.Object({}),
  uniqueKey: () => 'all',
});

/** Reads files that are new or have changed, and takes them in. */
export const takeInFiles = defineJob({
  name: 'libraries.takeIn',
  queue: 'library',
  lane: 'background',
  attempts: 3,
  priority: -1,
  payload: Type.Object({
    libraryId: Type.String({ format: 'uuid' }),
    fileIds: Type.Array(Type.Integer()),
  }),
  uniqueKey: ({ libraryId, fileIds }) => `${libraryId} ${fileIds[0]} ${fileIds.at(-1)}`,
});

/** Decides about files that a scan did not find, once those that it found have been read. */
export const settleLibrary = defineJob({
  name: 'libraries.settle',
  queue: 'library',
  lane: 'background',
  attempts: 3,
  priority: -1,
  payload: LibraryPayload,
  uniqueKey: ({ libraryId }) => libraryId,
});

/** Removes the items of a deleted library, and then the library. Its files stay. */
export const removeLibrary = defineJob({
  name: 'libraries.remove',
  queue: 'library',
  lane: 'background',
  attempts: 10,
  payload: LibraryPayload,
  uniqueKey: ({ libraryId }) => libraryId,
});

/** Moves items whose files have been gone for long to the trash. */
export const trashMissing = definePeriodicJob({
  name: 'libraries.trashMissing',
  queue: 'library',
  attempts: 3,
  everyMinutes: 24 * 60,
});

/** Looks for changed metadata that XMP files do not have yet. */
export const planSidecars = definePeriodicJob({
  name: 'libraries.planSidecars',
  queue: 'sidecar',
  attempts: 3,
  everyMinutes: 1,
  hasWork: sql`exists (select from sidecar_change where retry_at is null or retry_at <= now())`,
});

/** Writes changed metadata of a library to XMP files beside its files. */
export const writeSidecars = defineJob({
  name: 'libraries.writeSidecars',
  queue: 'sidecar',
  lane: 'background',
  attempts: 3,
  ownSlots: 1,
  payload: LibraryPayload,
  uniqueKey: ({ libraryId }) => libraryId,
});
