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
import { filterInLibrary, type WorkflowMailData } from './workflow-mail.store.ts';

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
  // An account that has not opened the page yet has no language: people who share mostly have one in common.
  const language = pickLanguage(recipient.language ?? sender?.language);
  const baseUrl = settings.externalDomain;
  const to = recipient.email;
  if (template === 'workflow') {
    const values = await composeWorkflow(deps, recipient, data as WorkflowMailData);
    return values && { ...renderMail(template, { ...values, baseUrl }, { language }), to, id };
  }
  const custom = getCustomText(settings, template);
  if (template === 'welcome') {
    const values = { baseUrl, displayName: recipient.name, username: to };
    return { ...renderMail(template, values, { custom, language }), to, id };
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
    to,
    id,
    ...(picture && { pictures: [picture] }),
  };
}

/** Leaves out the items that the recipient does not see any more; undefined if that is all of them. */
async function composeWorkflow(
  { db }: Deps,
  recipient: UserRow,
  { subject, items, count }: WorkflowMailData,
) {
  const session = await findAccountSession(db, recipient.id);
  const ids = items.map(({ assetId }) => assetId);
  const seen = session ? await filterInLibrary(db, session, ids) : new Set<string>();
  const shown = items.filter(({ assetId }) => seen.has(assetId));
  const newest = shown.at(-1);
  return (
    newest && {
      subject,
      message: [...new Set(shown.map(({ text }) => text))].join('\n'),
      count: String(count - (items.length - shown.length)),
      assetId: newest.assetId,
      recipientName: recipient.name,
    }
  );
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
