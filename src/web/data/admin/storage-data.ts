import { queryOptions } from '@tanstack/react-query';
import { get, post, remove } from '../../base/api.ts';
import { t } from '../../base/i18n.ts';
import { keys } from '../query-keys.ts';
import type { StorageMeasurement, StoragePlaces, StorageUses, Transcodes } from '../types.ts';

export type Use = StorageUses['server'][number];

const MEASURING_MS = 2000;

/** `requestedAt`: when somebody asked for another measurement; empty: nobody has. */
export const storageUsesQuery = (requestedAt: string) =>
  queryOptions({
    queryKey: [...keys.server, 'storage-uses'],
    queryFn: () => get<StorageUses>('/admin/storage'),
    refetchInterval: ({ state }) =>
      state.data?.measuredAt === null || isMeasuring(state.data?.measuredAt, requestedAt)
        ? MEASURING_MS
        : false,
  });

/** Both are times of the server, as it writes them. */
export const isMeasuring = (measuredAt: string | null | undefined, requestedAt: string): boolean =>
  (measuredAt ?? '') < requestedAt;

const OUTDATED_MS = 5 * 60_000;

/** Whether the page asks for another measurement when it is opened. */
export const isOutdated = (measuredAt: string | null | undefined, now = Date.now()): boolean =>
  measuredAt === null || now - Date.parse(measuredAt ?? '') > OUTDATED_MS;

export const measureAgain = (): Promise<StorageMeasurement> => post('/admin/storage');

const MOVING_MS = 5000;
const RESTING_MS = 60_000;

/** Counting them reads all originals: it is done often only while files are moved. */
export const storagePlacesQuery = () =>
  queryOptions({
    queryKey: [...keys.server, 'storage-places'],
    queryFn: () => get<StoragePlaces>('/admin/storage/places'),
    refetchInterval: ({ state }) => {
      if (!state.data?.store) return false;
      return state.data.store.movingTo ? MOVING_MS : RESTING_MS;
    },
  });

const DELETING_MS = 1000;

export const transcodesQuery = () =>
  queryOptions({
    queryKey: [...keys.server, 'transcodes'],
    queryFn: () => get<Transcodes>('/admin/storage/transcodes'),
    refetchInterval: ({ state }) => (state.data?.isDeleting ? DELETING_MS : false),
  });

export const deleteTranscodes = (minBytes = 0): Promise<void> =>
  remove(`/admin/storage/transcodes?minBytes=${minBytes}`);

export const TITLES: Readonly<Record<Use['kind'], string>> = {
  photo: t('Photos'),
  raw: t('Raw photos'),
  video: t('Videos'),
  other: t('Other files and Locked'),
  trash: t('Trash'),
  preview: t('Thumbnails and previews'),
  transcode: t('Converted videos'),
  export: t('Exports'),
  backup: t('Database backups'),
  database: t('Database'),
};

/** Returns the sums over all accounts and the server, the largest first, without kinds that have no file. */
export function sumKinds({ server, accounts }: Pick<StorageUses, 'server' | 'accounts'>): Use[] {
  const sums = new Map<Use['kind'], Use>();
  for (const use of [...server, ...accounts.flatMap(({ uses }) => uses)]) {
    const { files, bytes } = sums.get(use.kind) ?? { files: 0, bytes: 0 };
    sums.set(use.kind, {
      kind: use.kind,
      files: files + use.files,
      bytes: bytes + use.bytes,
    });
  }
  return [...sums.values()].filter(({ files }) => files > 0).toSorted((a, b) => b.bytes - a.bytes);
}

export const sumBytes = (uses: readonly { bytes: number }[]): number =>
  uses.reduce((sum, { bytes }) => sum + bytes, 0);
