import { KEPT_UPLOADS } from '../../base/service-worker-names.ts';
import { onLogOut, session } from '../session/session.ts';
import { dropUploads } from './queue.ts';

/**
 * Sees to it that files go to the account that chose them: a logout forgets them, and so does a login of another
 * account. When a session ends otherwise, they wait for the same account.
 */
export function watchUploadOwner(): void {
  let owner: string | undefined;
  session.subscribe(() => {
    const now = session.get();
    if (!('me' in now) || now.me.id === owner) return;
    if (owner !== undefined) dropUploads();
    owner = now.me.id;
  });
  onLogOut(() => {
    owner = undefined;
    dropUploads();
    // Browsers have caches where a page is secure.
    if ('caches' in globalThis) void caches.delete(KEPT_UPLOADS).catch(() => undefined);
  });
}
