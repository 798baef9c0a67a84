import { and, asc, eq, isNull } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { partners, type UserRow, users } from '../../db/tables/identity.ts';
import type { Direction } from './schemas.ts';

export type PartnerPair = { readonly sharerId: string; readonly viewerId: string };
export type PartnerRow = {
  readonly user: UserRow;
  readonly inTimeline: boolean;
  readonly hidesPlaces: boolean;
  /** First local day of capture (YYYY-MM-DD) that is shown; null: all. */
  readonly sharedFrom: string | null;
};
export type PartnerChange = Partial<Omit<PartnerRow, 'user'>>;

const STATE = {
  inTimeline: partners.inTimeline,
  hidesPlaces: partners.hidesPlaces,
  sharedFrom: partners.sharedFrom,
};

/** Returns the other accounts by name, without removed ones. */
export function listPartners(db: Db, userId: string, direction: Direction): Promise<PartnerRow[]> {
  const [mine, other] =
    direction === 'shared-by'
      ? [partners.sharerId, partners.viewerId]
      : [partners.viewerId, partners.sharerId];
  return db
    .select({ user: users, ...STATE })
    .from(partners)
    .innerJoin(users, eq(users.id, other))
    .where(and(eq(mine, userId), isNull(users.deletedAt)))
    .orderBy(asc(users.name), asc(users.id));
}

export async function findActiveUser(db: Db, id: string): Promise<UserRow | undefined> {
  const [row] = await db
    .select()
    .from(users)
    .where(and(eq(users.id, id), eq(users.status, 'active'), isNull(users.deletedAt)));
  return row;
}

/** Returns false when they are partners in this direction already. */
export async function insertPartner(
  db: Db,
  partner: PartnerPair & Pick<PartnerRow, 'hidesPlaces' | 'sharedFrom'>,
): Promise<boolean> {
  const rows = await db.insert(partners).values(partner).onConflictDoNothing().returning();
  return rows.length > 0;
}

const matchesPair = ({ sharerId, viewerId }: PartnerPair) =>
  and(eq(partners.sharerId, sharerId), eq(partners.viewerId, viewerId));

/** Returns the new state, undefined when they are no partners in this direction. */
export async function updatePartner(db: Db, pair: PartnerPair, change: PartnerChange, now: Date) {
  const [row] = await db
    .update(partners)
    .set({ ...change, updatedAt: now })
    .where(matchesPair(pair))
    .returning(STATE);
  return row;
}

/** Returns the deleted state, undefined when they were no partners in this direction. */
export async function deletePartner(
  db: Db,
  pair: PartnerPair,
): Promise<Pick<PartnerRow, 'hidesPlaces'> | undefined> {
  const [row] = await db.delete(partners).where(matchesPair(pair)).returning();
  return row;
}
