import type { Ctx } from '../../core/context.ts';
import { badRequest, invalidField } from '../../core/errors.ts';
import type { Db } from '../../db/client.ts';
import type { MailTemplate } from '../../db/tables/notifications.ts';
import { inTransaction } from '../../db/transaction.ts';
import { announce } from '../../events/announce.ts';
import type { MailSettings, MailSettingsResponse } from './schemas.ts';
import { readSections, saveSection } from './store.ts';
import { listUnknownPlaceholders } from './templates.ts';
import { describeSmtpError, verifySmtp } from './transport.ts';

const DEFAULTS: MailSettings = {
  externalDomain: '',
  smtp: {
    enabled: false,
    from: '',
    replyTo: '',
    transport: {
      host: '',
      port: 587,
      secure: false,
      ignoreCert: false,
      username: '',
      password: '',
    },
  },
  templates: { albumInviteTemplate: '', albumUpdateTemplate: '', welcomeTemplate: '' },
};

/** Returns the settings in force, with the password. */
export async function readMailSettings(db: Db): Promise<MailSettings> {
  const { notifications, server, templates } = await readSections(db);
  return {
    externalDomain: DEFAULTS.externalDomain,
    ...(server as Partial<MailSettings>),
    smtp: { ...DEFAULTS.smtp, ...(notifications['smtp'] as object | undefined) },
    templates: { ...DEFAULTS.templates, ...(templates['email'] as object | undefined) },
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
 * stay the same: it is never sent to another server. Throws 400 when the server refuses.
 */
export async function updateMailSettings(
  ctx: Ctx,
  wanted: MailSettings,
): Promise<MailSettingsResponse> {
  refuseUnknownPlaceholders(wanted);
  const smtp = await withStoredPassword(ctx.db, wanted.smtp);
  if (smtp.enabled) await requireWorkingSmtp(smtp);
  return inTransaction(ctx, async (ctx) => {
    const save = (section: Parameters<typeof saveSection>[1], value: object) =>
      saveSection(ctx.db, section, { ...value }, ctx.now());
    await save('notifications', { smtp });
    await save('templates', { email: wanted.templates });
    await save('server', { externalDomain: wanted.externalDomain.replace(/\/+$/, '') });
    await announce(ctx.db, { event: 'config' });
    return getMailSettings(ctx);
  });
}

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

async function requireWorkingSmtp({ from, transport }: MailSettings['smtp']): Promise<void> {
  if (transport.host === '') throw invalidField('smtp.transport.host', 'Required to send mail');
  if (!from.includes('@')) throw invalidField('smtp.from', 'An address is required to send mail');
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
} as const satisfies Record<MailTemplate, keyof MailSettings['templates']>;

/** Returns the administrator's text of a template; empty if there is none. */
export const getCustomText = ({ templates }: MailSettings, template: MailTemplate): string =>
  templates[FIELDS[template]];

function refuseUnknownPlaceholders(settings: MailSettings): void {
  for (const [template, field] of Object.entries(FIELDS) as [
    MailTemplate,
    keyof typeof settings.templates,
  ][]) {
    const [unknown] = listUnknownPlaceholders(template, settings.templates[field]);
    if (unknown !== undefined) {
      throw invalidField(`templates.${field}`, `Unknown placeholder {${unknown}}`);
    }
  }
}
