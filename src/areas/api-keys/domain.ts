import type { Permission } from '../../access/permissions.ts';
import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { AppError, badRequest, forbidden } from '../../core/errors.ts';
import { newSecret, sha256 } from '../../core/hash.ts';
import { requireValue } from '../../core/required.ts';
import type { ApiKeyRow } from '../../db/tables/identity.ts';
import { keepLimit } from '../../db/limits/keep-limit.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { ApiKey, ApiKeyCreate, ApiKeyUpdate, ApiKeyWithSecret } from './schemas.ts';
import * as store from './store.ts';

export async function listKeys(ctx: Ctx): Promise<ApiKey[]> {
  return (await store.listKeys(ctx.db, requireUser(ctx.session).userId)).map(toKey);
}

export async function getKey(ctx: Ctx, id: string): Promise<ApiKey> {
  return toKey(await ownKey(ctx, id));
}

/** The key that the request was made with. */
export async function getMyKey(ctx: Ctx): Promise<ApiKey> {
  const { apiKeyId } = requireUser(ctx.session);
  if (!apiKeyId) throw forbidden('Not authenticated with an API Key');
  return getKey(ctx, apiKeyId);
}

export async function createKey(ctx: Ctx, input: ApiKeyCreate): Promise<ApiKeyWithSecret> {
  const { userId } = requireUser(ctx.session);
  const permissions = [...new Set(input.permissions)];
  checkGrant(ctx, permissions);
  const secret = newSecret();
  const now = ctx.now();
  const row = await keepLimit(ctx, 'apiKey', { ownerId: userId }, ({ db }) =>
    store.insertKey(db, {
      userId,
      name: input.name || 'API Key',
      keyHash: sha256(secret),
      permissions,
      createdAt: now,
      updatedAt: now,
    }),
  );
  return withSecret(row, secret);
}

export async function updateKey(ctx: Ctx, id: string, input: ApiKeyUpdate): Promise<ApiKey> {
  const { userId } = requireUser(ctx.session);
  if (input.permissions) checkGrant(ctx, input.permissions);
  const row = await store.updateKey(ctx.db, userId, id, {
    ...(input.name !== undefined && { name: input.name }),
    ...(input.permissions && { permissions: [...new Set(input.permissions)] }),
    updatedAt: ctx.now(),
  });
  if (!row) throw unknownKey();
  return toKey(row);
}

/** A new secret for the same key; the old one ends at once. */
export async function rotateKey(ctx: Ctx, id: string): Promise<ApiKeyWithSecret> {
  const { userId } = requireUser(ctx.session);
  return inTransaction(ctx, async (ctx) => {
    const key = await store.lockKey(ctx.db, userId, id);
    if (!key) throw unknownKey();
    // The caller learns the secret, and with it gets the permissions of the key.
    checkGrant(ctx, key.permissions, 'Cannot rotate an API Key with permissions you do not have');
    const secret = newSecret();
    const row = await store.updateKey(ctx.db, userId, id, {
      keyHash: sha256(secret),
      updatedAt: ctx.now(),
    });
    return withSecret(requireValue(row, 'locked API key'), secret);
  });
}

export async function deleteKey(ctx: Ctx, id: string): Promise<void> {
  const { userId } = requireUser(ctx.session);
  if (!(await store.deleteKey(ctx.db, userId, id))) throw unknownKey();
}

/** No credential can hand out more than it holds. */
function checkGrant(
  ctx: Ctx,
  wanted: readonly string[],
  refusal = 'Cannot grant permissions you do not have',
): void {
  const { permissions } = requireUser(ctx.session);
  if (permissions.has('all')) return;
  if (!wanted.every((permission) => permissions.has(permission))) {
    throw badRequest(refusal);
  }
}

/** Also for keys of others. */
const unknownKey = () => new AppError('badRequest', 'API Key not found', { code: 'no_access' });

async function ownKey(ctx: Ctx, id: string): Promise<ApiKeyRow> {
  const row = await store.findKey(ctx.db, requireUser(ctx.session).userId, id);
  if (!row) throw unknownKey();
  return row;
}

const toKey = (row: ApiKeyRow): ApiKey => ({
  id: row.id,
  name: row.name,
  permissions: row.permissions as Permission[],
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

function withSecret(row: ApiKeyRow, secret: string): ApiKeyWithSecret {
  const key = toKey(row);
  return { ...key, apiKey: key, secret };
}
