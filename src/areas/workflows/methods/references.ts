import type { TSchema } from 'typebox';
import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { invalidField } from '../../../core/errors.ts';
import { filterByRole } from '../../albums/index.ts';
import { findPeopleById } from '../../people/index.ts';
import { filterOwnPets } from '../../pets/index.ts';
import { filterOwnTags } from '../../tags/index.ts';
import { listUsers } from '../../users/index.ts';
import type { Method } from './define.ts';

// Steps name albums, tags and people by id. Each list of ids says in its `uiHint` what they are of, so that
// a new method cannot forget to check them.

type Lookup = (ctx: Ctx, ids: readonly string[], kind: Method['kind']) => Promise<Has>;
type Has = { readonly has: (id: string) => boolean };

/** By `uiHint`: those that the account may name. */
const LOOKUPS: Readonly<Record<string, Lookup>> = {
  AlbumId: (ctx, ids, kind) => filterByRole(ctx, ids, kind === 'action' ? 'editor' : 'viewer'),
  TagId: ({ db, session }, ids) => filterOwnTags(db, requireUser(session).userId, ids),
  PersonId: ({ db, session }, ids) => findPeopleById(db, requireUser(session), ids),
  PetId: ({ db, session }, ids) => filterOwnPets(db, requireUser(session).userId, ids),
  UserId: (ctx) => listOtherIds(ctx),
};

type Hinted = TSchema & {
  readonly type?: string;
  readonly uiHint?: { readonly type: string };
  readonly properties?: Readonly<Record<string, Hinted>>;
};

/** Throws 400 that names the first id in a valid configuration which the account may not use. */
export async function requireKnownIds(ctx: Ctx, method: Method, config: object): Promise<void> {
  for (const { path, method: part, config: own } of listParts(method, config)) {
    await requireKnownIn(ctx, part, own, path);
  }
}

type Part = { readonly path: string; readonly method: Method; readonly config: object };

/** Returns the method with its configuration, and those of filters within it. */
const listParts = (method: Method, config: object, path = ''): readonly Part[] => [
  { path, method, config },
  ...(method.kind === 'filter' ? (method.listParts?.(config as never) ?? []) : []).flatMap((part) =>
    listParts(part.method, part.config, `${path}${part.path}.`),
  ),
];

async function requireKnownIn(
  ctx: Ctx,
  method: Method,
  config: object,
  path: string,
): Promise<void> {
  const { properties = {} } = method.config as Hinted;
  for (const [name, { uiHint }] of Object.entries(properties)) {
    const lookUp = uiHint && LOOKUPS[uiHint.type];
    const ids = (config as Record<string, unknown>)[name];
    if (!lookUp || !Array.isArray(ids)) continue;
    const known = await lookUp(ctx, ids as string[], method.kind);
    const index = (ids as string[]).findIndex((id) => !known.has(id.toLowerCase()));
    if (index !== -1) throw invalidField(`${path}${name}.${index}`, 'Not found');
  }
}

/** Returns the other accounts that the owner may know of. */
export async function listOtherIds(ctx: Ctx): Promise<Set<string>> {
  const { userId } = requireUser(ctx.session);
  const users = await listUsers(ctx);
  return new Set(users.map(({ id }) => id).filter((id) => id !== userId));
}
