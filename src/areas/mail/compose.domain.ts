import { findAccountSession } from '../../access/account-session.ts';
import type { Deps } from '../../core/context.ts';
import { pickLanguage } from '../../core/languages.ts';
import type { MailMessageRow } from '../../db/tables/notifications.ts';
import type { UserRow } from '../../db/tables/identity.ts';
import { findUser, isMailWanted } from '../users/index.ts';
import type { MailSettings } from './schemas.ts';
import { getCustomText } from './settings.domain.ts';
import { renderMail } from './templates.ts';
import type { Mail, Picture } from './transport.ts';
import { filterInLibrary, type WorkflowMailData } from './workflow-mail.store.ts';

/** An album as a recipient sees it. */
export type MailAlbum = { readonly albumName: string; readonly picture: Picture | undefined };

/** Returns undefined if the account does not see the album. */
export type FindMailAlbum = (
  deps: Deps,
  userId: string,
  albumId: string,
) => Promise<MailAlbum | undefined>;

/**
 * Returns a queued message as it is sent, in the language of its recipient: names and pictures are read
 * now. Undefined if the recipient has gone, wants no such mail, or does not see the album any more.
 */
export async function composeMail(
  deps: Deps,
  { settings, findAlbum }: { readonly settings: MailSettings; readonly findAlbum: FindMailAlbum },
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
  if (albumId === undefined) return undefined;
  const album = await findAlbum(deps, recipient.id, albumId);
  if (!album) return undefined;
  const { picture, albumName } = album;
  const values = {
    albumId,
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
