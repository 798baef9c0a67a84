import { findAccountSession } from '../../access/account-session.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { JobCtx, JobHandler } from '../../jobs/define.ts';
import { getCutoff } from '../../jobs/passed-time.ts';
import { runThrottled } from '../../jobs/throttle.ts';
import { nameUnnamedPerson } from '../people/index.ts';
import {
  deleteFacesBefore,
  type FacePosition,
  findEnd,
  type Naming,
  takeNamings,
} from './faces.store.ts';
import type { nameFaces } from './jobs.ts';

/** Faces of one transaction. */
const BATCH = 2000;
/** A face that has no person by then gets none from the move. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** Names the people here whose faces had a name on the other server. */
export const handleNameFaces: JobHandler<typeof nameFaces> = async (ctx) => {
  let after: FacePosition | undefined;
  await runThrottled(ctx, async () => {
    const end = await findEnd(ctx.db, after, BATCH);
    if (!end) return false;
    await inTransaction(ctx, async (ctx) => {
      for (const naming of await takeNamings(ctx.db, after, end)) await nameOne(ctx, naming);
    });
    after = end;
    return true;
  });
  await deleteFacesBefore(ctx.db, await getCutoff(ctx.db, KEPT_MS));
};

async function nameOne(ctx: JobCtx, { ownerId, personId, name }: Naming): Promise<void> {
  const session = await findAccountSession(ctx.db, ownerId);
  if (session) await nameUnnamedPerson({ ...ctx, session }, personId, name);
}
