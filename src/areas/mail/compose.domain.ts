import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findAccountSession } from '../../access/account-session.ts';
import type { UserSession } from '../../access/session.ts';
import type { Deps } from '../../core/context.ts';
import { pickLanguage } from '../../core/languages.ts';
import type { MailMessageRow } from '../../db/tables/notifications.ts';
import type { UserRow } from '../../db/tables/identity.ts';
import { getAlbumCards } from '../albums/index.ts';
import { createFileFinder } from '../assets/index.ts';
import { findUser, isMailWanted } from '../users/index.ts';
import type { MailSettings } from './schemas.ts';
import { getCustomText } from './settings.domain.ts';
import { renderMail } from './templates.ts';
import type { Mail, Picture } from './transport.ts';

/**
 * Returns a queued message as it is sent, in the language of its recipient: names and pictures are read
 * now. Undefined if the recipient has gone, wants no such mail, or does not see the album any more.
 */
export async function composeMail(
  deps: Deps,
  settings: MailSettings,
  { id, userId, template, data }: MailMessageRow,
): Promise<Mail | undefined> {
  const recipient = userId === null ? undefined : await findUser(deps.db, userId);
  if (!recipient || !isMailWanted(recipient, template)) return undefined;
  const { albumId, senderId } = data as { albumId?: string; senderId?: string };
  const sender = senderId ? await findUser(deps.db, senderId) : undefined;
  const custom = getCustomText(settings, template);
  // An account that has not opened the page yet has no language: people who share mostly have one in common.
  const language = pickLanguage(recipient.language ?? sender?.language);
  const baseUrl = settings.externalDomain;
  if (template === 'welcome') {
    const values = { baseUrl, displayName: recipient.name, username: recipient.email };
    return { ...renderMail(template, values, { custom, language }), to: recipient.email, id };
  }
  const album = albumId === undefined ? undefined : await findAlbum(deps, recipient, albumId);
  if (!album) return undefined;
  const { picture, albumName } = album;
  const values = {
    albumId: albumId!,
    albumName,
    baseUrl,
    recipientName: recipient.name,
    senderName: sender?.name ?? 'Safelight',
  };
  return {
    ...renderMail<'album-invite' | 'album-update'>(template, values, {
      custom,
      language,
      ...(picture && { cid: picture.cid }),
    }),
    to: recipient.email,
    id,
    ...(picture && { pictures: [picture] }),
  };
}

/** Reads the album as the recipient sees it. */
async function findAlbum(deps: Deps, recipient: UserRow, albumId: string) {
  const session = await findAccountSession(deps.db, recipient.id);
  const card = session && (await getAlbumCards(deps.db, session, [albumId])).get(albumId);
  if (!card) return undefined;
  return {
    albumName: card.title,
    picture: card.coverAssetId ? await readCover(deps, session, card.coverAssetId) : undefined,
  };
}

/** Larger pictures are not sent. */
const MAX_PICTURE_BYTES = 1024 * 1024;
const PREVIEWS = ['edited_preview', 'preview'];

async function readCover(
  deps: Deps,
  session: UserSession,
  assetId: string,
): Promise<Picture | undefined> {
  const files = await createFileFinder({ db: deps.db, session }, PREVIEWS)([assetId]);
  const found = PREVIEWS.map((kind) => files.get(assetId)?.find((file) => file.kind === kind));
  const file = found.find((one) => one !== undefined);
  if (!file?.name || Number(file.size) > MAX_PICTURE_BYTES) return undefined;
  // The picture may have been rendered anew meanwhile: the message goes without it.
  const bytes = await readFile(join(deps.paths.derived, file.name)).catch(() => undefined);
  return bytes && { cid: 'cover', fileName: 'cover.jpg', bytes };
}
