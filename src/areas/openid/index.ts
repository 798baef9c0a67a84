export { findEndSessionUrl } from './end-session.domain.ts';
export {
  createAuthorizationUrl,
  findUnsupportedSignature,
  getProvider,
  type Identity,
  LOGOUT_TOKEN_LIFE_MS,
  type LogoutToken,
  type OAuthConfig,
  type Provider,
  readIdentity,
  readLogoutToken,
  toCodeChallenge,
} from './provider.ts';
