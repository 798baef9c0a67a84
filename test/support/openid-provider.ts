import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { interactionPolicy, Provider } from 'oidc-provider';
import type { AdminConfig } from '../../src/areas/system-config/index.ts';

type Claims = Readonly<Record<string, unknown>>;
type Token = { readonly header: { alg: string }; readonly payload: JWTPayload };
export type OpenIdProvider = Awaited<ReturnType<typeof openProvider>>;

export const CLIENT_ID = 'safelight';
const CLIENT_SECRET = 'a secret of forty-two letters and digits 42';
const KEY_ID = 'first';
const PROFILE_CLAIMS = [
  'name',
  'given_name',
  'family_name',
  'preferred_username',
  'immich_role',
  'immich_quota',
];

/** A real OpenID provider on a loopback port: whoever names an account of `people` is logged in as it. */
export async function openProvider(redirectUris: string[], backchannelLogoutUri: string) {
  const people = new Map<string, Claims>();
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const policy = interactionPolicy.base();
  // Apps are not asked for consent.
  policy.get('consent')!.checks.remove('native_client_prompt');
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: redirectUris,
        application_type: 'native',
        token_endpoint_auth_method: 'client_secret_post',
        backchannel_logout_uri: backchannelLogoutUri,
        backchannel_logout_session_required: true,
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: KEY_ID, alg: 'RS256', use: 'sig' }] },
    claims: { openid: ['sub', 'sid'], email: ['email', 'email_verified'], profile: PROFILE_CLAIMS },
    cookies: { keys: ['a key for cookies'] },
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
    findAccount: (_ctx, id) =>
      people.has(id)
        ? { accountId: id, claims: () => ({ sub: id, ...people.get(id) }) }
        : undefined,
    interactions: { policy, url: (_ctx, { uid }) => `/interaction/${uid}` },
    ttl: { Grant: 3600, Interaction: 3600, Session: 3600 },
    pkce: { required: () => true },
    async loadExistingGrant(ctx) {
      const { client, session } = ctx.oidc;
      const grant = new provider.Grant({
        clientId: client!.clientId,
        accountId: session!.accountId!,
      });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });

  /** Replaces the ID token that the token endpoint returns. */
  let tamper: ((token: string) => Promise<string>) | undefined;
  let tokenRequests = 0;
  provider.use(async (ctx, next) => {
    await next();
    if (ctx.path !== '/token') return;
    tokenRequests += 1;
    const body = ctx.body as { id_token?: string };
    if (tamper && body.id_token) ctx.body = { ...body, id_token: await tamper(body.id_token) };
  });
  const callback = provider.callback();
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return void callback(request, response);
    if (request.method === 'GET') {
      response.setHeader('content-type', 'text/html');
      response.end(
        '<form method="post"><label>User <input name="user"></label><button>Enter</button>',
      );
      return;
    }
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const accountId = new URLSearchParams(Buffer.concat(chunks).toString()).get('user')!;
      await provider.interactionFinished(request, response, { login: { accountId } });
    })();
  });

  return {
    issuer,
    people,
    config: {
      allowInsecureRequests: true,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      enabled: true,
      issuerUrl: issuer,
    } satisfies Partial<AdminConfig['oauth']>,
    countTokenRequests: () => tokenRequests,
    /** Signs a token with the key of the provider. */
    sign: (payload: JWTPayload) =>
      new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: KEY_ID }).sign(privateKey),
    /** Has the token endpoint return ID tokens that are changed so; undefined: as they are. */
    tamperWith(change: ((token: Token) => Promise<string> | string) | undefined): void {
      tamper =
        change &&
        (async (token) => {
          const [header, payload] = token.split('.').slice(0, 2).map(decodePart);
          return change({ header, payload } as Token);
        });
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const decodePart = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
