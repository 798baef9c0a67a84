import { eq } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { assetAdjustments } from '../../../db/tables/assets.ts';
import { type Adjustments, isUnadjusted, UNADJUSTED } from '../../../media/adjustments.ts';

// Callers have checked access and, before writes, locked the asset's row.

export async function findAdjustments(db: Db, assetId: string): Promise<Adjustments> {
  const [row] = await db
    .select()
    .from(assetAdjustments)
    .where(eq(assetAdjustments.assetId, assetId));
  if (!row) return UNADJUSTED;
  const { assetId: _, ...adjustments } = row;
  return adjustments;
}

export async function replaceAdjustments(
  db: Db,
  assetId: string,
  adjustments: Adjustments,
): Promise<void> {
  if (isUnadjusted(adjustments)) {
    await db.delete(assetAdjustments).where(eq(assetAdjustments.assetId, assetId));
    return;
  }
  await db
    .insert(assetAdjustments)
    .values({ assetId, ...adjustments })
    .onConflictDoUpdate({ target: assetAdjustments.assetId, set: adjustments });
}
