import type { Db } from '../../../db/client.ts';
import { enqueue } from '../../../jobs/queue.ts';
import type { MetadataSupplement } from '../../../media/metadata-options.ts';
import { readMetadata } from '../jobs.ts';
import { saveSupplement } from './supplements.store.ts';

/**
 * Stores values of the export of another service for what the file of an asset does not tell; the first
 * ones stay unless these replace them. The metadata is then read again, if that is not waiting already.
 */
export async function supplementAsset(
  db: Db,
  assetId: string,
  supplement: MetadataSupplement,
  { replaces = false }: { readonly replaces?: boolean } = {},
): Promise<void> {
  const { takenAt, description, position } = supplement;
  if (!takenAt && !description && !position) return;
  if (await saveSupplement(db, assetId, supplement, replaces)) {
    await enqueue(db, readMetadata, { assetId });
  }
}
