import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest } from '../../core/errors.ts';
import { pickLanguage } from '../../core/languages.ts';
import { findUser } from '../users/index.ts';
import type { Smtp } from './schemas.ts';
import {
  getCustomTemplate,
  getCustomText,
  readMailSettings,
  withStoredPassword,
} from './settings.domain.ts';
import {
  type InvitationValues,
  listUnknownPlaceholders,
  renderInvitation,
  renderMail,
  renderTestMail,
} from './templates.ts';
import { describeSmtpError, sendMail, verifySmtp } from './transport.ts';

/** Sends a message to the caller by these settings, and saves nothing. Throws 400 with the server's words. */
export async function sendTestMail(ctx: Ctx, given: Smtp): Promise<{ messageId: string }> {
  const user = await findUser(ctx.db, requireUser(ctx.session).userId);
  if (!user) throw badRequest('User not found');
  const smtp = await withStoredPassword(ctx.db, given);
  try {
    await verifySmtp(smtp.transport);
    const mail = {
      ...renderTestMail(user.name, pickLanguage(user.language)),
      to: user.email,
      id: crypto.randomUUID(),
    };
    return { messageId: await sendMail(smtp, mail) };
  } catch (error) {
    throw badRequest(`Failed to verify SMTP configuration: ${describeSmtpError(error)}`);
  }
}

type InvitationMail = InvitationValues & {
  readonly id: string;
  readonly to: string;
  readonly language: string | null;
};

/**
 * Sends an invitation at once: its token is stored nowhere, also not in the queue of mail. Returns the words of a
 * server that refuses it.
 */
export async function sendInvitationMail(
  { db, log }: Ctx,
  { id, to, language, ...values }: InvitationMail,
): Promise<string | undefined> {
  const { smtp } = await readMailSettings(db);
  if (!smtp.enabled) return 'No mail server is set up';
  try {
    await sendMail(smtp, { ...renderInvitation(values, pickLanguage(language)), to, id });
    return undefined;
  } catch (error) {
    const words = describeSmtpError(error);
    log.warn('invitation not sent', { error: words });
    return words;
  }
}

const EXAMPLES = {
  albumId: '00000000-0000-4000-8000-000000000000',
  albumName: 'Summer by the sea',
  displayName: 'Jane Doe',
  username: 'jane@example.com',
  recipientName: 'Jane Doe',
  senderName: 'John Doe',
};

/**
 * Renders a template with example values, in the language of the caller; an empty text is the one in
 * force. Throws 400 for unknown names.
 */
export async function previewTemplate(
  ctx: Ctx,
  name: string,
  text: string,
): Promise<{ name: string; html: string }> {
  const template = getCustomTemplate(name);
  const [unknown] = listUnknownPlaceholders(template, text);
  if (unknown !== undefined) throw badRequest(`Unknown placeholder {${unknown}}`);
  const settings = await readMailSettings(ctx.db);
  const user = await findUser(ctx.db, requireUser(ctx.session).userId);
  const values = { ...EXAMPLES, baseUrl: settings.externalDomain || 'https://photos.example.com' };
  const custom = text || getCustomText(settings, template);
  return {
    name,
    html: renderMail(template, values, { custom, language: pickLanguage(user?.language) }).html,
  };
}
