import type { Asset } from '../../data/types.ts';

const DAY_MS = 86_400_000;

/** Returns the date of a file that is in the future, for which the asset is sorted by its upload. */
export function findFutureDate({
  createdAt,
  fileCreatedAt,
  exifInfo,
}: Pick<Asset, 'createdAt' | 'fileCreatedAt' | 'exifInfo'>): Date | undefined {
  const told = Date.parse(exifInfo?.dateTimeOriginal ?? '');
  const isSortedByUpload = Date.parse(fileCreatedAt) === Date.parse(createdAt);
  return isSortedByUpload && told > Date.parse(createdAt) + DAY_MS ? new Date(told) : undefined;
}
