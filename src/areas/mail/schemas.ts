import { t } from 'elysia';
import { AdminConfigSmtpDto, AdminConfigTemplateEmailsDto } from '../system-config/index.ts';
import { expected } from '../../http/schemas.ts';

export type Smtp = typeof AdminConfigSmtpDto.static;
export type SmtpTransport = Smtp['transport'];

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
