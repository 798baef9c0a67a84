import { noAccess } from '../../core/errors.ts';
import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import * as store from './store.ts';

const RANK = { viewer: 1, editor: 2, owner: 3 } as const;

export const isAtLeast = (role: store.AlbumRole | undefined, needed: store.AlbumRole) =>
  role !== undefined && RANK[role] >= RANK[needed];

/**
 * Returns the role of the caller. Throws 400 (noAccess) for a lower role and for an unknown album alike. A
 * shared link is a viewer of its album.
 */
export async function requireRole(
  ctx: Ctx,
  id: string,
  needed: store.AlbumRole,
  permission: string,
): Promise<store.AlbumRole> {
  const { session } = ctx;
  if (session.kind === 'sharedLink') {
    if (session.albumId === id && needed === 'viewer') return 'viewer';
    throw noAccess(permission);
  }
  const role = (await store.findRoles(ctx.db, session.userId, [id])).get(id);
  if (role === undefined || !isAtLeast(role, needed)) throw noAccess(permission);
  return role;
}

/** Returns those of `ids` in which the account has at least this role. */
export async function filterByRole(
  { db, session }: Ctx,
  ids: readonly string[],
  needed: store.AlbumRole,
): Promise<Set<string>> {
  const roles = await store.findRoles(db, requireUser(session).userId, ids);
  return new Set([...roles].flatMap(([id, role]) => (isAtLeast(role, needed) ? [id] : [])));
}
