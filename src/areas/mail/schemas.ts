import { t } from 'elysia';
import { expected } from '../../http/schemas.ts';

const AdminConfigSmtpTransportDto = t.Object(
  {
    host: t.String(),
    ignoreCert: t.Boolean(),
    password: t.String(),
    port: t.Integer({ minimum: 0, maximum: 65_535 }),
    secure: t.Boolean(),
    username: t.String(),
  },
  { title: 'AdminConfigSmtpTransportDto' },
);
export type SmtpTransport = typeof AdminConfigSmtpTransportDto.static;

export const AdminConfigSmtpDto = t.Object(
  {
    enabled: t.Boolean(),
    from: t.String(),
    replyTo: t.String(),
    transport: AdminConfigSmtpTransportDto,
  },
  { title: 'AdminConfigSmtpDto' },
);
export type Smtp = typeof AdminConfigSmtpDto.static;

/** Texts of the administrator; an empty one is the text that this program brings. */
export const AdminConfigTemplateEmailsDto = t.Object(
  {
    albumInviteTemplate: t.String({ maxLength: 10_000 }),
    albumUpdateTemplate: t.String({ maxLength: 10_000 }),
    welcomeTemplate: t.String({ maxLength: 10_000 }),
  },
  { title: 'AdminConfigTemplateEmailsDto' },
);

const isWebAddress = (text: string) => text === '' || /^https?:\/\/[^\s"<>]+$/.test(text);
/** Address of the page that mail links to; empty: mail has no links. */
const ExternalDomain = t.String({ maxLength: 500, ...expected('URL', isWebAddress) });

export const MailSettingsDto = t.Object(
  {
    externalDomain: ExternalDomain,
    smtp: AdminConfigSmtpDto,
    templates: AdminConfigTemplateEmailsDto,
  },
  { title: 'MailSettingsDto' },
);
export type MailSettings = typeof MailSettingsDto.static;

export const MailSettingsResponseDto = t.Object(
  { ...MailSettingsDto.properties, hasPassword: t.Boolean() },
  { title: 'MailSettingsResponseDto' },
);
export type MailSettingsResponse = typeof MailSettingsResponseDto.static;

export const TemplateParams = t.Object({ name: t.String() });
export const TemplateDto = t.Object(
  { template: t.String({ maxLength: 10_000 }) },
  { title: 'TemplateDto' },
);
export const TemplateResponseDto = t.Object(
  { html: t.String(), name: t.String() },
  { title: 'TemplateResponseDto' },
);
export const TestEmailResponseDto = t.Object(
  { messageId: t.String() },
  { title: 'TestEmailResponseDto' },
);
