import type { Deps } from '../../core/context.ts';
import { readConfig } from '../system-config/index.ts';
import { getProvider } from './provider.ts';

/** Returns the page of the provider that ends its session too, undefined where there is none. */
export async function findEndSessionUrl(
  { db, log }: Pick<Deps, 'db' | 'log'>,
  idToken: string | undefined,
): Promise<string | undefined> {
  const { oauth } = await readConfig(db, 'oauth');
  if (!oauth.enabled) return undefined;
  try {
    const address =
      oauth.endSessionEndpoint ||
      (await getProvider(oauth)).client.serverMetadata().end_session_endpoint;
    const url = address ? new URL(address) : undefined;
    if (url && idToken) url.searchParams.set('id_token_hint', idToken);
    return url?.href;
  } catch (error) {
    log.warn('OpenID discovery failed, logged out here only', { error });
    return undefined;
  }
}
