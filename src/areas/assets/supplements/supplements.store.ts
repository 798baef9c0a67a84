import type { Db } from '../../../db/client.ts';
import { assetSupplements } from '../../../db/tables/assets.ts';
import type { MetadataSupplement } from '../../../media/metadata-options.ts';

/** Returns false when the asset has a supplement already. */
export async function insertSupplement(
  db: Db,
  assetId: string,
  { description, position }: MetadataSupplement,
): Promise<boolean> {
  const rows = await db
    .insert(assetSupplements)
    .values({ assetId, description: description ?? null, ...position })
    .onConflictDoNothing()
    .returning({ assetId: assetSupplements.assetId });
  return rows.length > 0;
}
