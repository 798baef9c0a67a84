import { t } from 'elysia';
import { MAX_INT32, MAX_RETENTION_DAYS, stringEnum } from '../../../http/schemas.ts';

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

export const AdminConfigSmtpDto = t.Object(
  {
    enabled: t.Boolean(),
    from: t.String(),
    replyTo: t.String(),
    transport: AdminConfigSmtpTransportDto,
  },
  { title: 'AdminConfigSmtpDto' },
);

/** Texts of the administrator; an empty one is the text that this program brings. */
export const AdminConfigTemplateEmailsDto = t.Object(
  {
    albumInviteTemplate: t.String({ maxLength: 10_000 }),
    albumUpdateTemplate: t.String({ maxLength: 10_000 }),
    welcomeTemplate: t.String({ maxLength: 10_000 }),
  },
  { title: 'AdminConfigTemplateEmailsDto' },
);

export const AdminConfigNotificationsDto = t.Object(
  {
    smtp: AdminConfigSmtpDto,
  },
  { title: 'AdminConfigNotificationsDto' },
);

export const AdminConfigOAuthDto = t.Object(
  {
    accountManagementUrl: t.Optional(t.String({ default: '' })),
    allowInsecureRequests: t.Boolean(),
    autoLaunch: t.Boolean(),
    autoRegister: t.Boolean(),
    buttonText: t.String(),
    clientId: t.String(),
    clientSecret: t.String(),
    defaultStorageQuota: t.Nullable(t.Integer({ minimum: 0 })),
    enabled: t.Boolean(),
    endSessionEndpoint: t.String(),
    issuerUrl: t.String(),
    mobileOverrideEnabled: t.Boolean(),
    mobileRedirectUri: t.String(),
    profileSigningAlgorithm: t.String(),
    prompt: t.String(),
    roleClaim: t.String(),
    scope: t.String(),
    signingAlgorithm: t.String(),
    storageLabelClaim: t.String(),
    storageQuotaClaim: t.String(),
    timeout: t.Integer({ minimum: 1, maximum: MAX_INT32 }),
    tokenEndpointAuthMethod: stringEnum(['client_secret_post', 'client_secret_basic'], {
      title: 'OAuthTokenEndpointAuthMethod',
    }),
  },
  { title: 'AdminConfigOAuthDto' },
);

export const AdminConfigPasswordLoginDto = t.Object(
  {
    enabled: t.Boolean(),
  },
  { title: 'AdminConfigPasswordLoginDto' },
);

export const AdminConfigTemplatesDto = t.Object(
  {
    email: AdminConfigTemplateEmailsDto,
  },
  { title: 'AdminConfigTemplatesDto' },
);

export const AdminConfigUserDto = t.Object(
  {
    deleteDelay: t.Integer({ minimum: 1, maximum: MAX_RETENTION_DAYS }),
  },
  { title: 'AdminConfigUserDto' },
);
