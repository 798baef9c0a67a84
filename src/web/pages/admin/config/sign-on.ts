import {
  choice,
  number,
  optionalNumber,
  secret,
  type Subject,
  text,
  toggle,
} from '../../../data/admin/config/members.ts';
import { same } from './options.ts';
import { t } from '../../../base/i18n.ts';

const PUBLIC_KEY_ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'].concat([
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
]);
const SECRET_ALGORITHMS = ['HS256', 'HS384', 'HS512'];

const CLAIM = t('Name of a claim. Only read when an account is created; empty for none.');

/** Login with an OpenID provider. */
export const SIGN_ON: Subject = {
  id: 'sign-on',
  title: t('Login provider (OAuth)'),
  help: t('Register these addresses there: {addresses}', {
    addresses: '…/auth/login, …/user-settings',
  }),
  document: '/admin/config',
  members: [
    toggle('oauth.enabled', t('Log in with an OpenID provider')),
    {
      ...text(
        'oauth.issuerUrl',
        t('Address of the provider'),
        t('Its issuer, such as https://id.example.'),
      ),
      requiredBy: 'oauth.enabled',
    },
    { ...text('oauth.clientId', t('Client ID')), requiredBy: 'oauth.enabled' },
    secret('oauth.clientSecret', t('Client secret'), t('Leave empty to keep the current one.')),
    text('oauth.scope', t('Scope')),
    text('oauth.prompt', t('Prompt'), t('For example login or select_account; empty for none.')),
    choice(
      same('client_secret_post', 'client_secret_basic'),
      'oauth.tokenEndpointAuthMethod',
      t('How the client secret is sent'),
    ),
    choice(
      same(...PUBLIC_KEY_ALGORITHMS, ...SECRET_ALGORITHMS),
      'oauth.signingAlgorithm',
      t('Signature of ID tokens'),
    ),
    choice(
      { none: t('None'), ...same(...PUBLIC_KEY_ALGORITHMS) },
      'oauth.profileSigningAlgorithm',
      t('Signature of profiles'),
    ),
    number('oauth.timeout', t('Milliseconds to wait for the provider')),
    toggle(
      'oauth.allowInsecureRequests',
      t('Allow a provider without HTTPS'),
      t('Only in a network that nobody else can intercept.'),
    ),
    text('oauth.buttonText', t('Text of the button')),
    toggle(
      'oauth.autoLaunch',
      t('Open the provider at once'),
      t('Without the login page. With ?autoLaunch=0 it is shown.'),
    ),
    toggle(
      'oauth.autoRegister',
      t('Create accounts'),
      t('For everybody whom the provider lets in. Switched off, only existing accounts log in.'),
    ),
    text('oauth.roleClaim', t('Role'), CLAIM),
    text('oauth.storageLabelClaim', t('Storage label'), CLAIM),
    text('oauth.storageQuotaClaim', t('Storage limit in GiB'), CLAIM),
    optionalNumber(
      'oauth.defaultStorageQuota',
      t('Storage limit of new accounts in GiB'),
      t('Where the claim names none; empty for no limit.'),
    ),
    text(
      'oauth.endSessionEndpoint',
      t('Page after logging out'),
      t('Leave empty for the one that the provider names.'),
    ),
    text('oauth.accountManagementUrl', t('Page of the account at the provider')),
    toggle(
      'oauth.mobileOverrideEnabled',
      t('Replace the address of the mobile app'),
      t('For providers that accept only addresses beginning with http.'),
    ),
    text('oauth.mobileRedirectUri', t('Custom URL'), '…/api/oauth/mobile-redirect'),
  ],
};
