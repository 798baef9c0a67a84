import { Elysia } from 'elysia';
import { isFromOtherSite } from '../../access/credentials.ts';
import { getClientOrigin } from '../../http/forwarded.ts';
import type { Guard } from '../../http/guard.ts';
import { loginCookies, LoginResponseDto, readDevice, refuseOtherSites } from '../auth/index.ts';
import { NoContent } from '../../http/schemas.ts';
import { expiredSecretCookies, readSecretCookies, secretCookies } from './cookies.ts';
import { finishLogin, startLogin } from './domain.ts';
import { toMobileRedirect } from './redirect.ts';
import { OAuthAuthorizeResponseDto, OAuthCallbackDto, OAuthConfigDto } from './schemas.ts';

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
        const cookies = readSecretCookies(request);
        const device = readDevice(request.headers);
        const login = await finishLogin(ctx, body, { cookies, device });
        set.headers['set-cookie'] = [
          ...loginCookies(login.accessToken, caller.isEncrypted, 'oauth'),
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
    );
