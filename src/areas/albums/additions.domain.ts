import { findAccountSession } from '../../access/account-session.ts';
import { canOpenAlbum } from '../../access/albums.ts';
import type { Db } from '../../db/client.ts';
import { enqueue } from '../../jobs/queue.ts';
import { queueMail } from '../mail/index.ts';
import { notify } from '../notifications/index.ts';
import { countAdded, insertAddition, takeAdditions } from './additions.store.ts';
import { notifyOfAdditions } from './jobs.ts';
import { findAlbum } from './store.ts';

/**
 * Call it in the transaction that has added assets to an album. `addedBy`: null through a shared link.
 * Owner and members learn it five minutes after the first addition, together with what follows.
 */
export async function recordAddition(
  db: Db,
  albumId: string,
  addedBy: string | null,
): Promise<void> {
  if (await insertAddition(db, albumId, addedBy)) await enqueue(db, notifyOfAdditions, { albumId });
}

/** Tells owner and members of what others have added and they may see, on the page and by mail. */
export async function notifyMembersOfAdditions(db: Db, albumId: string, now: Date): Promise<void> {
  const recipients = await takeAdditions(db, albumId);
  const album = recipients.length > 0 ? await findAlbum(db, albumId) : undefined;
  if (!album) return;
  for (const { userId, times, lastId } of recipients) {
    const session = await findAccountSession(db, userId);
    if (!session || !(await canOpenAlbum(db, session, albumId))) continue;
    const count = await countAdded(db, session, { albumId, times });
    if (count === 0) continue;
    const event = {
      userId,
      kind: 'albumUpdate',
      title: 'Shared Album Update',
      description: `New media has been added to the album (${album.name})`,
      data: { albumId, albumName: album.name, count },
      key: `album-update ${albumId}`,
    } as const;
    await notify(db, event, now);
    const key = `album-update ${albumId} ${userId} ${lastId}`;
    await queueMail(db, { key, userId, template: 'album-update', data: { albumId } }, now);
  }
}
