import { Elysia } from 'elysia';
import { isFromOtherSite, findCookie } from '../../access/credentials.ts';
import { invalidField } from '../../core/errors.ts';
import { getClientOrigin } from '../../http/forwarded.ts';
import type { Guard } from '../../http/guard.ts';
import { loginCookies, LoginResponseDto, readDevice, refuseOtherSites } from '../auth/index.ts';
import {
  isJson,
  MAX_ANONYMOUS_BYTES,
  readJson,
  readUrlEncodedForm,
} from '../../http/request-body.ts';
import { NoContent, urlEncodedForm } from '../../http/schemas.ts';
import { UserAdminResponseDto } from '../users/index.ts';
import { endProviderSession } from './backchannel.domain.ts';
import { finishLogin, startLogin, type LoginSecrets } from './domain.ts';
import { linkAccount, unlinkAccount, unlinkAllAccounts } from './link.domain.ts';
import { toMobileRedirect } from './redirect.ts';
import {
  OAuthAuthorizeResponseDto,
  OAuthBackchannelLogoutDto,
  OAuthCallbackDto,
  OAuthConfigDto,
} from './schemas.ts';

const STATE = 'immich_oauth_state';
const CODE_VERIFIER = 'immich_oauth_code_verifier';

/** As long as a login at the provider may take. */
const MAX_AGE_SECONDS = 3600;

const toCookie = (name: string, value: string, maxAge: number, isEncrypted: boolean) =>
  `${name}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${isEncrypted ? '; Secure' : ''}`;

const secretCookies = ({ state, codeVerifier }: LoginSecrets, isEncrypted: boolean): string[] =>
  Object.entries({ [STATE]: state, [CODE_VERIFIER]: codeVerifier }).flatMap(([name, value]) =>
    value ? [toCookie(name, encodeURIComponent(value), MAX_AGE_SECONDS, isEncrypted)] : [],
  );

const expiredSecretCookies = (): string[] =>
  [STATE, CODE_VERIFIER].map((name) => toCookie(name, '', 0, false));

function readSecretCookies(request: Request): LoginSecrets {
  const read = (name: string) => decode(findCookie(request, name));
  return { state: read(STATE), codeVerifier: read(CODE_VERIFIER) };
}

/** Returns undefined for a cookie that is none of ours. */
function decode(value: string | undefined): string | undefined {
  try {
    return value && decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

export const oauthRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/oauth', tags: ['Authentication'] })
    .use(guard)
    .post(
      '/authorize',
      async ({ ctx, body, request, set, status }) => {
        const { headers } = request;
        const { host, isEncrypted } = getClientOrigin(request, ctx.settings);
        const browserOrigin = isFromOtherSite(headers, host) ? null : headers.get('origin');
        const { url, ...secrets } = await startLogin(ctx, body, { host, browserOrigin });
        set.headers['set-cookie'] = secretCookies(secrets, isEncrypted);
        return status(201, { url });
      },
      {
        open: true,
        body: OAuthConfigDto,
        response: { 201: OAuthAuthorizeResponseDto },
        detail: { operationId: 'startOAuth', summary: 'Get the login page of the provider' },
      },
    )
    .get(
      '/mobile-redirect',
      ({ request, set, status }) => {
        set.headers['location'] = toMobileRedirect(request.url);
        return status(307, undefined);
      },
      {
        open: true,
        // Immich documents 200.
        response: { 200: NoContent, 307: NoContent },
        detail: { operationId: 'redirectOAuthToMobile', summary: 'Go on in the mobile app' },
      },
    )
    .post(
      '/callback',
      async ({ ctx, body, request, set, status }) => {
        const caller = getClientOrigin(request, ctx.settings);
        refuseOtherSites(request, caller);
        const { address, isEncrypted } = caller;
        const cookies = readSecretCookies(request);
        const device = readDevice(request.headers);
        // They are used up by a refusal too.
        set.headers['set-cookie'] = expiredSecretCookies();
        const login = await finishLogin(ctx, body, { cookies, device, address });
        set.headers['set-cookie'] = [
          ...loginCookies(login.accessToken, isEncrypted, 'oauth'),
          ...expiredSecretCookies(),
        ];
        return status(201, login);
      },
      {
        open: true,
        body: OAuthCallbackDto,
        response: { 201: LoginResponseDto },
        detail: { operationId: 'finishOAuth', summary: 'Log in with the response of the provider' },
      },
    )
    .post(
      '/link',
      async ({ ctx, body, request, set }) => {
        set.headers['set-cookie'] = expiredSecretCookies();
        return linkAccount(ctx, body, readSecretCookies(request));
      },
      {
        permission: { of: 'all', proof: true },
        body: OAuthCallbackDto,
        response: { 200: UserAdminResponseDto },
        detail: {
          operationId: 'linkOAuthAccount',
          summary: 'Let the caller log in with the provider from now on',
        },
      },
    )
    .post('/unlink', ({ ctx }) => unlinkAccount(ctx), {
      permission: 'all',
      response: { 200: UserAdminResponseDto },
      detail: { operationId: 'unlinkOAuthAccount', summary: 'Undo the link of the caller' },
    })
    .post(
      '/backchannel-logout',
      async ({ ctx, request }) => {
        await endProviderSession(ctx, await readLogoutToken(request));
        return new Response(null, { headers: { 'cache-control': 'no-store' } });
      },
      {
        open: true,
        parse: 'none',
        response: { 200: NoContent },
        detail: {
          operationId: 'logoutOAuth',
          summary: 'End sessions that have ended at the provider',
          ...urlEncodedForm(OAuthBackchannelLogoutDto),
        } as object,
      },
    );

/** Returns the token of a form, as providers send it, or of JSON, as Immich takes it too. Throws 400, 413 or 415. */
async function readLogoutToken(request: Request): Promise<string> {
  const token = isJson(request)
    ? (
        (await readJson(request, MAX_ANONYMOUS_BYTES)) as Record<string, unknown> | null | undefined
      )?.['logout_token']
    : ((await readUrlEncodedForm(request, MAX_ANONYMOUS_BYTES)).get('logout_token') ?? undefined);
  if (typeof token === 'string') return token;
  const message = `Invalid input: expected string, received ${token === null ? 'null' : typeof token}`;
  throw invalidField('logout_token', message, 'invalid_type');
}

export const oauthAdminRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/admin/auth', tags: ['Authentication (admin)'] }).use(guard).post(
    '/unlink-all',
    async ({ ctx, status }) => {
      await unlinkAllAccounts(ctx);
      return status(204, undefined);
    },
    {
      permission: { of: 'adminAuth.unlinkAll', admin: true, proof: true },
      response: { 204: NoContent },
      detail: {
        operationId: 'unlinkAllOAuthAccountsAdmin',
        summary: 'Undo the links of all accounts to the provider',
      },
    },
  );
