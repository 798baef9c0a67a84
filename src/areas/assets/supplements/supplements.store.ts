import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { assetSupplements } from '../../../db/tables/assets.ts';
import type { MetadataSupplement } from '../../../media/metadata-options.ts';

/**
 * Returns false when the asset has this supplement already, or another that is not replaced. A date that is trusted from now
 * on replaces the other one.
 */
export async function saveSupplement(
  db: Db,
  assetId: string,
  { takenAt, trustsDate = false, description, position }: MetadataSupplement,
  replaces: boolean,
): Promise<boolean> {
  const rows = await db
    .insert(assetSupplements)
    .values({
      assetId,
      takenAt: takenAt ?? null,
      trustsDate,
      description: description ?? null,
      ...position,
    })
    .onConflictDoUpdate({
      target: assetSupplements.assetId,
      set: {
        takenAt: sql`excluded.taken_at`,
        trustsDate: sql`excluded.trusts_date`,
        ...(replaces && {
          description: sql`excluded.description`,
          latitude: sql`excluded.latitude`,
          longitude: sql`excluded.longitude`,
        }),
      },
      setWhere: sql`(${replaces} and (excluded.taken_at, excluded.description, excluded.latitude,
            excluded.longitude)
          is distinct from (asset_supplement.taken_at, asset_supplement.description,
            asset_supplement.latitude, asset_supplement.longitude))
        or (excluded.trusts_date and (excluded.taken_at, true)
          is distinct from (asset_supplement.taken_at, asset_supplement.trusts_date))`,
    })
    .returning({ assetId: assetSupplements.assetId });
  return rows.length > 0;
}
