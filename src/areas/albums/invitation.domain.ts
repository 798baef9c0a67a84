import type { Db } from '../../db/client.ts';
import { queueMail } from '../mail/index.ts';
import { notify } from '../notifications/index.ts';
import { findUser } from '../users/index.ts';
import { findAlbum, type NewMember } from './store.ts';

type Invitation = {
  readonly albumId: string;
  readonly senderId: string;
  readonly added: readonly NewMember[];
};

/** Tells new members that an album is shared with them, on the page and by mail. */
export async function notifyInvited(
  db: Db,
  { albumId, senderId, added }: Invitation,
  now: Date,
): Promise<void> {
  if (added.length === 0) return;
  const [album, sender] = await Promise.all([findAlbum(db, albumId), findUser(db, senderId)]);
  if (!album || !sender) return;
  const data = { albumId, albumName: album.name, senderId, senderName: sender.name };
  for (const { userId, since } of added) {
    const event = {
      userId,
      kind: 'albumInvite',
      title: 'Shared Album Invitation',
      description: `${sender.name} shared an album (${album.name}) with you`,
      data,
      key: `album-invite ${albumId}`,
    } as const;
    await notify(db, event, now);
    // Another membership is another event: someone who has left can be invited again.
    const key = `album-invite ${albumId} ${userId} ${since}`;
    const mail = { key, userId, template: 'album-invite', data: { albumId, senderId } } as const;
    await queueMail(db, mail, now);
  }
}
