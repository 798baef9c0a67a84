import {
  createRemoteJWKSet,
  customFetch as customKeyFetch,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  type Configuration,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  skipSubjectCheck,
  type UserInfoResponse,
} from 'openid-client';
import { fetchBounded } from '../../core/fetched-json.ts';
import { sha256 } from '../../core/hash.ts';
import type { AdminConfig } from '../system-config/index.ts';

export type OAuthConfig = AdminConfig['oauth'];

/** An identity that the provider has confirmed: a subject means another person at another issuer. */
export type Identity = {
  readonly issuer: string;
  readonly profile: UserInfoResponse;
  /** Session at the provider. */
  readonly sid: string | undefined;
  readonly idToken: string | undefined;
};

/** A provider whose metadata has been read. Redirects of its endpoints are not followed. */
export type Provider = {
  readonly client: Configuration;
  readonly keys: JWTVerifyGetKey | Uint8Array;
};

const FRESH_MS = 5 * 60_000;
let recent: { readonly key: string; readonly at: number; provider: Promise<Provider> } | undefined;

/** Returns the provider of the configuration; its metadata is read again after five minutes. */
export function getProvider(oauth: OAuthConfig): Promise<Provider> {
  const key = JSON.stringify(oauth);
  const now = performance.now();
  if (recent?.key === key && now - recent.at < FRESH_MS) return recent.provider;
  const provider = discover(oauth);
  const entry = { key, at: now, provider };
  recent = entry;
  provider.catch(() => {
    if (recent === entry) recent = undefined;
  });
  return provider;
}

/** RFC 7518 §3.1 and RFC 8037, without 'none'. */
const SIGNATURES = /^(?:[RPE]S(?:256|384|512)|EdDSA)$/;
const SECRET_SIGNATURES = /^HS(?:256|384|512)$/;

/** Returns the configured signature that cannot be verified: nobody can log in with it. */
export const findUnsupportedSignature = ({
  signingAlgorithm,
  profileSigningAlgorithm,
}: OAuthConfig): string | undefined => {
  if (!SIGNATURES.test(signingAlgorithm) && !SECRET_SIGNATURES.test(signingAlgorithm)) {
    return signingAlgorithm;
  }
  const isProfileReadable =
    profileSigningAlgorithm === 'none' || SIGNATURES.test(profileSigningAlgorithm);
  return isProfileReadable ? undefined : profileSigningAlgorithm;
};

async function discover(oauth: OAuthConfig): Promise<Provider> {
  const { clientId, clientSecret, profileSigningAlgorithm, signingAlgorithm, timeout } = oauth;
  const client = await discovery(
    new URL(oauth.issuerUrl),
    clientId,
    {
      client_secret: clientSecret,
      response_types: ['code'],
      id_token_signed_response_alg: signingAlgorithm,
      ...(profileSigningAlgorithm !== 'none' && {
        userinfo_signed_response_alg: profileSigningAlgorithm,
      }),
    },
    createClientAuthentication(oauth),
    {
      execute: [
        ...(oauth.allowInsecureRequests ? [allowInsecureRequests] : []),
        ...(isSymmetric(oauth) ? [] : [enableNonRepudiationChecks]),
      ],
      timeout: timeout / 1000,
      [customFetch]: fetchBounded,
    },
  );
  return { client, keys: createKeys(oauth, client) };
}

function createClientAuthentication({ clientSecret, tokenEndpointAuthMethod }: OAuthConfig) {
  if (!clientSecret) return None();
  return tokenEndpointAuthMethod === 'client_secret_basic'
    ? ClientSecretBasic(clientSecret)
    : ClientSecretPost(clientSecret);
}

const isSymmetric = ({ signingAlgorithm }: OAuthConfig) => signingAlgorithm.startsWith('HS');

function createKeys(oauth: OAuthConfig, client: Configuration): Provider['keys'] {
  if (isSymmetric(oauth)) return new TextEncoder().encode(oauth.clientSecret);
  const address = URL.parse(client.serverMetadata().jwks_uri ?? '');
  if (!address) throw new Error('The provider names no keys');
  if (address.protocol !== 'https:' && !oauth.allowInsecureRequests) {
    throw new Error('The keys of the provider are not served over HTTPS');
  }
  return createRemoteJWKSet(address, {
    timeoutDuration: oauth.timeout,
    [customKeyFetch]: fetchBounded,
  });
}

const expectsIdToken = ({ scope }: OAuthConfig) => scope.split(/\s+/).includes('openid');

/** Bound to the code verifier, so that clients need not keep one more secret. */
const toNonce = (codeChallenge: string) =>
  Buffer.from(sha256(`nonce ${codeChallenge}`)).toString('base64url');

/** RFC 7636 §4.2, S256. */
export const toCodeChallenge = (codeVerifier: string) =>
  Buffer.from(sha256(codeVerifier)).toString('base64url');

/** Returns the page of the provider where the user logs in. */
export function createAuthorizationUrl(
  { client }: Provider,
  oauth: OAuthConfig,
  request: { redirectUri: string; state: string; codeChallenge: string },
): string {
  const { redirectUri, state, codeChallenge } = request;
  return buildAuthorizationUrl(client, {
    redirect_uri: redirectUri,
    scope: oauth.scope,
    state,
    ...(oauth.prompt && { prompt: oauth.prompt }),
    ...(expectsIdToken(oauth) && { nonce: toNonce(codeChallenge) }),
    ...(client.serverMetadata().supportsPKCE() && {
      code_challenge: codeChallenge,
      code_challenge_method: 'S256',
    }),
  }).href;
}

/**
 * Redeems the code of an authorization response. Throws for one that does not belong to the state and the
 * code verifier, that another issuer has sent, and for tokens that are not valid.
 */
export async function readIdentity(
  { client, keys }: Provider,
  oauth: OAuthConfig,
  response: { url: URL; state: string; codeVerifier: string },
): Promise<Identity> {
  const { url, state, codeVerifier } = response;
  const tokens = await authorizationCodeGrant(client, url, {
    expectedState: state,
    ...(expectsIdToken(oauth) && { expectedNonce: toNonce(toCodeChallenge(codeVerifier)) }),
    ...(client.serverMetadata().supportsPKCE() && { pkceCodeVerifier: codeVerifier }),
  });
  if (tokens.id_token && keys instanceof Uint8Array) {
    await jwtVerify(tokens.id_token, keys, { algorithms: [oauth.signingAlgorithm] });
  }
  const claims = tokens.claims();
  const profile =
    claims && 'email' in claims
      ? (claims as UserInfoResponse)
      : await fetchUserInfo(client, tokens.access_token, claims?.sub ?? skipSubjectCheck);
  const sid = claims?.['sid'];
  return {
    issuer: client.serverMetadata().issuer,
    profile,
    sid: typeof sid === 'string' ? sid : undefined,
    idToken: tokens.id_token,
  };
}

/** Logout tokens are accepted for this long after they were issued, in seconds. */
const MAX_LOGOUT_TOKEN_AGE_S = 120;
const CLOCK_TOLERANCE_S = 5;
/** A token that is accepted now is refused as too old after this time. */
export const LOGOUT_TOKEN_LIFE_MS = (MAX_LOGOUT_TOKEN_AGE_S + 2 * CLOCK_TOLERANCE_S) * 1000;
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

export type LogoutToken = {
  readonly issuer: string;
  readonly jti: string;
  readonly sub: string | undefined;
  readonly sid: string | undefined;
};

/** Validates a logout token, as OpenID Connect Back-Channel Logout 1.0 §2.6 says. Throws for an invalid one. */
export async function readLogoutToken(
  { client, keys }: Provider,
  oauth: OAuthConfig,
  token: string,
): Promise<LogoutToken> {
  const { issuer } = client.serverMetadata();
  const { payload } = await jwtVerify(token, keys as JWTVerifyGetKey, {
    issuer,
    audience: oauth.clientId,
    algorithms: [oauth.signingAlgorithm],
    maxTokenAge: MAX_LOGOUT_TOKEN_AGE_S,
    clockTolerance: CLOCK_TOLERANCE_S,
  });
  const { events, jti, sub, sid } = payload as JWTPayload & { events?: unknown; sid?: unknown };
  const isLogout = typeof events === 'object' && events !== null && LOGOUT_EVENT in events;
  if (!isLogout) throw new Error('Not a logout token');
  if ('nonce' in payload) throw new Error('A logout token must have no nonce');
  if (!jti) throw new Error('The logout token has no jti');
  if (sub === undefined && typeof sid !== 'string') {
    throw new Error('The logout token names neither a subject nor a session');
  }
  return { issuer, jti, sub, sid: typeof sid === 'string' ? sid : undefined };
}
