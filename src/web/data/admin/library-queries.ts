import { queryOptions } from '@tanstack/react-query';
import { ApiError, get, post, put, remove } from '../../base/api.ts';
import { describeFolderFault } from '../../base/error-texts.ts';
import { mutate } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import type { Library, LibraryFolder, LibraryState, LibraryValidation } from '../types.ts';

/** No event tells how far a scan is. */
const SCANNING_MS = 3000;
const IDLE_MS = 60_000;
const getInterval = (isScanning: boolean): number => (isScanning ? SCANNING_MS : IDLE_MS);

export const librariesQuery = (isScanning: boolean) =>
  queryOptions({
    queryKey: [...keys.libraries, 'list'],
    queryFn: () => get<Library[]>('/libraries'),
    refetchInterval: getInterval(isScanning),
  });

export const libraryFoldersQuery = (path: string | undefined) =>
  queryOptions({
    queryKey: [...keys.libraries, 'folders', path],
    queryFn: () => get<LibraryFolder>('/libraries/folders', path === undefined ? {} : { path }),
  });

export const libraryStateQuery = (id: string, isScanning: boolean) =>
  queryOptions({
    queryKey: [...keys.libraries, 'state', id],
    queryFn: () => get<LibraryState>(`/libraries/${id}/state`),
    refetchInterval: getInterval(isScanning),
  });

const EFFECTS = { invalidates: [keys.libraries, keys.jobs] };

export const changeLibrary = (id: string, change: object): Promise<Library> =>
  mutate(() => put(`/libraries/${id}`, change), EFFECTS);
export const deleteLibrary = (id: string): Promise<void> =>
  mutate(() => remove(`/libraries/${id}`), EFFECTS);
export const scanLibrary = (id: string): Promise<void> =>
  mutate(() => post(`/libraries/${id}/scan`), EFFECTS);
export const confirmMissing = (id: string): Promise<LibraryState> =>
  mutate(() => post(`/libraries/${id}/missing/confirm`), EFFECTS);

/**
 * Makes a library with these folders and scans them. With one that cannot be imported, it is removed again, and an
 * error with the message of each is thrown.
 */
export async function createLibrary(
  library: object,
  importPaths: readonly string[],
): Promise<void> {
  const { id } = await post<Library>('/libraries', library);
  try {
    await requireValidPaths(id, importPaths);
  } catch (error) {
    await deleteLibrary(id);
    throw error;
  }
  await changeLibrary(id, { importPaths });
  if (importPaths.length > 0) await scanLibrary(id);
}

/** Throws an error with the message of each folder that cannot be imported. */
export async function requireValidPaths(id: string, paths: readonly string[]): Promise<void> {
  const answer = await post<LibraryValidation>(`/libraries/${id}/validate`, { importPaths: paths });
  const faults = (answer.importPaths ?? []).flatMap(({ message }, index) =>
    message ? [[`importPaths.${index}`, describeFolderFault(message)] as const] : [],
  );
  const messages = faults.map(([, message]) => message);
  if (faults.length > 0) throw new ApiError(400, messages.join('. '), Object.fromEntries(faults));
}
