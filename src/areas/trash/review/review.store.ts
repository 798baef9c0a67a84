import { eq } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { trashReviews } from '../../../db/tables/trash.ts';

type NewReview = typeof trashReviews.$inferInsert;

export async function insertReview(db: Db, review: NewReview): Promise<void> {
  await db.insert(trashReviews).values(review);
}

/** Locks the review until commit: of two requests with one token, the second sees that it was used. */
export async function lockReview(db: Db, tokenHash: Uint8Array) {
  const [row] = await db
    .select()
    .from(trashReviews)
    .where(eq(trashReviews.tokenHash, tokenHash))
    .for('update');
  return row;
}

export async function markUsed(db: Db, tokenHash: Uint8Array, usedAt: Date): Promise<void> {
  await db.update(trashReviews).set({ usedAt }).where(eq(trashReviews.tokenHash, tokenHash));
}
