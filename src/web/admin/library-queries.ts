import { queryOptions } from '@tanstack/react-query';
import { get, post, put, remove } from '../api.ts';
import { mutate } from '../query-client.ts';
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

export const createLibrary = (library: object): Promise<Library> =>
  mutate(() => post('/libraries', library), EFFECTS);
export const changeLibrary = (id: string, change: object): Promise<Library> =>
  mutate(() => put(`/libraries/${id}`, change), EFFECTS);
export const deleteLibrary = (id: string): Promise<void> =>
  mutate(() => remove(`/libraries/${id}`), EFFECTS);
export const scanLibrary = (id: string): Promise<void> =>
  mutate(() => post(`/libraries/${id}/scan`), EFFECTS);
export const confirmMissing = (id: string): Promise<LibraryState> =>
  mutate(() => post(`/libraries/${id}/missing/confirm`), EFFECTS);
export const validateLibrary = (
  id: string,
  importPaths: readonly string[],
): Promise<LibraryValidation> => post(`/libraries/${id}/validate`, { importPaths });
