import { saveConfig } from '../../src/areas/system-config/config.domain.ts';
import { type AdminConfig, DEFAULTS } from '../../src/areas/system-config/index.ts';
import { call, type Reply, seed, testApp, testDatabase } from './harness.ts';
import { openProvider } from './openid-provider.ts';
import { createVisitor } from './provider-visitor.ts';

export const HOST = 'photos.example';
export const LOGIN_PAGE = `https://${HOST}/auth/login`;
export const MOBILE = 'app.immich:///oauth-callback';
export const MOBILE_OVERRIDE = `https://${HOST}/api/oauth/mobile-redirect`;
export const SETTINGS_PAGE = `https://${HOST}/user-settings`;

/** Address to which the provider has sent a browser, and the cookies of the browser. */
export type Returned = { readonly url: string; readonly cookie: string };

/** A server with an administrator that signs on with a provider of its own. */
export async function openSignOn() {
  const database = await testDatabase();
  const app = testApp(database, { now: () => new Date() });
  // The provider reaches the app over HTTP only.
  const bridge = Bun.serve({
    port: 0,
    fetch: (request) => {
      const { pathname } = new URL(request.url);
      return app.handle(new Request(`http://localhost${pathname}`, request));
    },
  });
  const provider = await openProvider(
    [LOGIN_PAGE, MOBILE, MOBILE_OVERRIDE, SETTINGS_PAGE],
    `http://127.0.0.1:${bridge.port}/api/oauth/backchannel-logout`,
  );
  const admin = await seed(database).user(['all'], { isAdmin: true });

  const configure = (over: Partial<AdminConfig['oauth']> = {}): Promise<void> => {
    const oauth = { ...DEFAULTS.oauth, ...provider.config, ...over };
    return saveConfig(database.db, { oauth }, new Date());
  };
  const authorize = (body: object = { redirectUri: LOGIN_PAGE }): Promise<Reply> =>
    call(app, 'POST /oauth/authorize', { body, headers: { host: HOST } });
  const returnFrom = async (
    user: string,
    body?: object,
    visitor = createVisitor(),
  ): Promise<Returned> => {
    const { body: start, headers } = await authorize(body);
    const cookies = headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
    return { url: await visitor.signOn(start.url, user), cookie: cookies.join('; ') };
  };
  const finish = ({ url, cookie }: Returned, headers: Record<string, string> = {}) =>
    call(app, 'POST /oauth/callback', { body: { url }, headers: { cookie, ...headers } });

  await configure();
  return {
    database,
    app,
    provider,
    admin,
    configure,
    authorize,
    returnFrom,
    finish,
    logIn: async (user: string) => finish(await returnFrom(user)),
    async close(): Promise<void> {
      await Promise.all([provider.close(), bridge.stop(true)]);
      await database.close();
    },
  };
}
