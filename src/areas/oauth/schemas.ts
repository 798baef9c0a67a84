import { t } from 'elysia';

export const OAuthConfigDto = t.Object(
  {
    codeChallenge: t.Optional(t.String()),
    redirectUri: t.String(),
    state: t.Optional(t.String()),
  },
  { title: 'OAuthConfigDto' },
);
export type AuthorizationStart = typeof OAuthConfigDto.static;

export const OAuthAuthorizeResponseDto = t.Object(
  { url: t.String() },
  { title: 'OAuthAuthorizeResponseDto' },
);

export const OAuthCallbackDto = t.Object(
  {
    codeVerifier: t.Optional(t.String()),
    state: t.Optional(t.String()),
    url: t.String({ minLength: 1 }),
  },
  { title: 'OAuthCallbackDto' },
);
export type AuthorizationResponse = typeof OAuthCallbackDto.static;

export const OAuthBackchannelLogoutDto = t.Object(
  { logout_token: t.String() },
  { title: 'OAuthBackchannelLogoutDto' },
);
