import { isDeepStrictEqual } from 'node:util';
import type { Ctx } from '../../core/context.ts';
import { badRequest, invalidField } from '../../core/errors.ts';
import type { Db } from '../../db/client.ts';
import type { MailTemplate } from '../../db/tables/notifications.ts';
import { inTransaction } from '../../db/transaction.ts';
import { changeConfig, readConfig, requireMayChange } from '../system-config/index.ts';
import type { MailSettings, MailSettingsResponse } from './schemas.ts';
import { listUnknownPlaceholders } from './templates.ts';
import { describeSmtpError, verifySmtp } from './transport.ts';

/** Returns the settings in force, with the password. */
export async function readMailSettings(db: Db): Promise<MailSettings> {
  const config = await readConfig(db, 'notifications', 'server', 'templates');
  return {
    externalDomain: config.server.externalDomain,
    smtp: config.notifications.smtp,
    templates: config.templates.email,
  };
}

/** Returns the address of the page, without a slash at its end; empty: not set. */
export const readExternalDomain = async (db: Db): Promise<string> =>
  (await readMailSettings(db)).externalDomain;

/** Returns whether a mail server is set up. */
export const isMailEnabled = async (db: Db): Promise<boolean> =>
  (await readMailSettings(db)).smtp.enabled;

/** Returns the settings without the password. */
export async function getMailSettings(ctx: Pick<Ctx, 'db'>): Promise<MailSettingsResponse> {
  const { externalDomain, smtp, templates } = await readMailSettings(ctx.db);
  const { password, ...transport } = smtp.transport;
  return {
    externalDomain,
    smtp: { ...smtp, transport: { ...transport, password: '' } },
    templates,
    hasPassword: password !== '',
  };
}

/**
 * Replaces the settings. An empty password keeps the stored one as long as the server and the user name
 * stay the same: it is never sent to another server. Throws 400 when the server refuses, 403 without a
 * recent proof.
 */
export async function updateMailSettings(
  ctx: Ctx,
  wanted: MailSettings,
): Promise<MailSettingsResponse> {
  const smtp = await withStoredPassword(ctx.db, wanted.smtp);
  const mail = { notifications: { smtp }, templates: { email: wanted.templates } };
  // Before the mail server is asked.
  await requireMayChange(ctx, mail);
  await requireValidMail(ctx.db, { smtp, templates: wanted.templates });
  return inTransaction(ctx, async (ctx) => {
    const { server } = await readConfig(ctx.db, 'server');
    const externalDomain = wanted.externalDomain.replace(/\/+$/, '');
    await changeConfig(ctx, { ...mail, server: { ...server, externalDomain } });
    return getMailSettings(ctx);
  });
}

/**
 * Throws 400 for templates with unknown placeholders, and when mail is to be sent through another server
 * than before that refuses: one that is down keeps nobody from saving the rest. `paths` name the members
 * in errors.
 */
export async function requireValidMail(
  db: Db,
  { smtp, templates }: Pick<MailSettings, 'smtp' | 'templates'>,
  paths: Readonly<Record<'smtp' | 'templates', string>> = SETTINGS_PATHS,
): Promise<void> {
  refuseUnknownPlaceholders(templates, paths.templates);
  const { smtp: stored } = await readMailSettings(db);
  if (smtp.enabled && !isDeepStrictEqual(smtp, stored)) await requireWorkingSmtp(smtp, paths.smtp);
}

const SETTINGS_PATHS = { smtp: 'smtp', templates: 'templates' };

/** Fills in the stored password where none is given and it belongs to the same login. */
export async function withStoredPassword(
  db: Db,
  smtp: MailSettings['smtp'],
): Promise<MailSettings['smtp']> {
  const { transport } = smtp;
  const stored = (await readMailSettings(db)).smtp.transport;
  const isSame =
    transport.host === stored.host &&
    transport.port === stored.port &&
    transport.username === stored.username;
  if (transport.password !== '' || transport.username === '' || !isSame) return smtp;
  return { ...smtp, transport: { ...transport, password: stored.password } };
}

async function requireWorkingSmtp(
  { from, transport }: MailSettings['smtp'],
  path: string,
): Promise<void> {
  if (transport.host === '') throw invalidField(`${path}.transport.host`, 'Required to send mail');
  if (!from.includes('@'))
    throw invalidField(`${path}.from`, 'An address is required to send mail');
  try {
    await verifySmtp(transport);
  } catch (error) {
    throw badRequest(`Invalid SMTP configuration: ${describeSmtpError(error)}`);
  }
}

const FIELDS = {
  welcome: 'welcomeTemplate',
  'album-invite': 'albumInviteTemplate',
  'album-update': 'albumUpdateTemplate',
} as const satisfies Partial<Record<MailTemplate, keyof MailSettings['templates']>>;

/** Templates whose text an administrator may replace. */
type CustomTemplate = keyof typeof FIELDS;
const CUSTOM_TEMPLATES = Object.keys(FIELDS) as CustomTemplate[];

/** Returns the template of a name. Throws 400 for any other. */
export function getCustomTemplate(name: string): CustomTemplate {
  const template = CUSTOM_TEMPLATES.find((known) => known === name);
  if (!template) throw badRequest(`Unknown template, only ${CUSTOM_TEMPLATES.join(', ')}`);
  return template;
}

/** Returns the administrator's text of a template; empty if there is none. */
export const getCustomText = ({ templates }: MailSettings, template: CustomTemplate): string =>
  templates[FIELDS[template]];

function refuseUnknownPlaceholders(templates: MailSettings['templates'], path: string): void {
  for (const template of CUSTOM_TEMPLATES) {
    const [unknown] = listUnknownPlaceholders(template, templates[FIELDS[template]]);
    if (unknown !== undefined) {
      throw invalidField(`${path}.${FIELDS[template]}`, `Unknown placeholder {${unknown}}`);
    }
  }
}
