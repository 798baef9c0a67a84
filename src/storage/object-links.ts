import type { Ctx } from '../core/context.ts';
import { type Disposition, formatContentDisposition } from '../http/files.ts';
import { openObjectStore } from './object-originals.ts';

// Large files that clients fetch from the object store itself, where administrators have chosen so.

/** Smaller ones are sent as fast. */
const LARGE_BYTES = 1024 ** 2;
const LINK_SECONDS = 60;
/** Types that a browser shows from another origin without running them. */
const SHOWN_TYPES = /^(?:image\/(?!svg)|video\/|audio\/)/;

type LinkedFile = {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  readonly type: string;
  readonly isLocked: boolean;
  readonly disposition: Disposition;
};

/**
 * Returns an address by which the client reads an object for a minute; undefined: the server sends it. Guests of links
 * and Locked get none: whoever has the address needs nothing else.
 */
export async function createObjectLink(
  ctx: Ctx,
  { key, size, type, isLocked, disposition }: LinkedFile,
): Promise<string | undefined> {
  const { session, settings } = ctx;
  if (settings.objectStoreRedirect === 'never' || session.kind !== 'user') return undefined;
  if (isLocked || size <= LARGE_BYTES || !SHOWN_TYPES.test(type)) return undefined;
  const objects = await openObjectStore(ctx);
  return objects.presign(key, {
    seconds: LINK_SECONDS,
    type,
    disposition: formatContentDisposition(disposition),
    cacheControl: 'private, no-store',
  });
}
