import { findAccountSession } from '../../access/account-session.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { JobCtx, JobHandler } from '../../jobs/define.ts';
import { getCutoff } from '../../jobs/passed-time.ts';
import { runThrottled } from '../../jobs/throttle.ts';
import { enqueue } from '../../jobs/queue.ts';
import { importFaces } from '../assets/index.ts';
import { completeBirthDate, nameUnnamedPerson, upsertPeopleByName } from '../people/index.ts';
import {
  deleteFacesBefore,
  type DrawnFace,
  type FacePosition,
  findEnd,
  listBirths,
  type Naming,
  takeDrawn,
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
      const births = await listBirths(ctx.db, after, end);
      for (const naming of await takeNamings(ctx.db, after, end)) await nameOne(ctx, naming);
      await drawFaces(ctx, await takeDrawn(ctx.db, after, end));
      for (const { ownerId, ...birth } of births) await completeBirthDate(ctx, ownerId, birth);
    });
    after = end;
    return true;
  });
  await deleteFacesBefore(ctx.db, await getCutoff(ctx.db, KEPT_MS));
};

/** Has faces that were drawn by hand added to their people, who are made if necessary. */
async function drawFaces(ctx: JobCtx, drawn: readonly DrawnFace[]): Promise<void> {
  for (const [ownerId, faces] of Map.groupBy(drawn, (face) => face.ownerId)) {
    const names = faces.map(({ name }) => name);
    await upsertPeopleByName(ctx.db, ownerId, names);
    for (const [assetId, ofAsset] of Map.groupBy(faces, (face) => face.assetId)) {
      const boxes = ofAsset.map(({ name, x1, y1, x2, y2 }) => {
        const [x, y] = [clamp(x1), clamp(y1)];
        return { name, x, y, width: clamp(x2) - x, height: clamp(y2) - y };
      });
      await enqueue(ctx.db, importFaces, { assetId, faces: boxes });
    }
  }
}

/** Boxes may go beyond the picture. */
const clamp = (share: number): number => Math.min(1, Math.max(0, share));

async function nameOne(ctx: JobCtx, { ownerId, personId, name }: Naming): Promise<void> {
  const session = await findAccountSession(ctx.db, ownerId);
  if (session) await nameUnnamedPerson({ ...ctx, session }, personId, name);
}
