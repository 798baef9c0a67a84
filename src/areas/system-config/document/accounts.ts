import { t } from 'elysia';
import { AdminConfigSmtpDto, AdminConfigTemplateEmailsDto } from '../../mail/index.ts';
import { MAX_INT32, MAX_RETENTION_DAYS, stringEnum } from '../../../http/schemas.ts';

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
