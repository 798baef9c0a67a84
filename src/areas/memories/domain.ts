import { listedAmong, lockOwned, requireUser } from '../../access/scope.ts';
import { toBulkResults } from '../../core/bulk-results.ts';
import type { Ctx } from '../../core/context.ts';
import { type Bytes, toBytes } from '../../core/json-bytes.ts';
import { badRequest, noAccess } from '../../core/errors.ts';
import { getFirst, requireValue } from '../../core/required.ts';
import { keepLimit } from '../../db/limits/keep-limit.ts';
import { inTransaction } from '../../db/transaction.ts';
import { defineResponses } from '../../read-cache/responses.ts';
import type { MemoryType } from '../../db/tables/memories.ts';
import type { BulkIdResult } from '../../http/schemas.ts';
import { enqueue } from '../../jobs/queue.ts';
import { findBodies, toViewOptions } from '../assets/index.ts';
import { cleanExports } from './exports/jobs.ts';
import { findProgress } from './generation/candidates.store.ts';
import { findAccount } from './generation/due.store.ts';
import type {
  MemoriesFilter,
  Memory,
  MemoryCreate,
  MemoryReadiness,
  MemoryUpdate,
} from './schemas.ts';
import { deleteAbout } from '../../operations/files.store.ts';
import * as store from './store.ts';
import type { Language } from '../../core/languages.ts';
import { listBodyNames, type MemoryHead, toHead } from './view.ts';

const remember = defineResponses('memories', store.LIST_STATE);

/** Returns JSON: a page of the caller's memories; those without an asset that may be shown are left out. */
export async function renderMemories(
  ctx: Ctx,
  filter: MemoriesFilter,
  language: Language,
): Promise<Bytes> {
  const session = requireUser(ctx.session);
  const build = async () => toBytes(await formatMemories(ctx, filter, language));
  // Rules depend on more than the log tells.
  if (filter.order === 'random' || session.contentRules.length > 0) return build();
  const now = ctx.now();
  // Titles tell how many years ago something was, and what is upcoming is another text later, without a change.
  const key = [
    filter,
    language,
    now.getUTCFullYear(),
    await store.findNextShown(toReader(ctx), now),
  ];
  return remember(ctx, { key, owners: [session.userId] }, build);
}

async function formatMemories(ctx: Ctx, filter: MemoriesFilter, language: Language) {
  const { order = 'desc', page = 1, size } = filter;
  const offset = size === undefined ? (page === 1 ? 0 : NO_SUCH_ROW) : (page - 1) * size;
  const rows = await store.listMemories(toReader(ctx), toSearch(ctx, filter), order, {
    limit: size,
    offset: Math.min(offset, NO_SUCH_ROW),
  });
  const listed = await readBodies(ctx, rows, language);
  return `[${listed.map(formatMemory).join()}]`;
}

const NO_SUCH_ROW = Number.MAX_SAFE_INTEGER;

export const countMemories = async (ctx: Ctx, filter: MemoriesFilter) => ({
  total: await store.countMemories(toReader(ctx), toSearch(ctx, filter)),
});

/** Returns why there may be no memory: the account wants none, has nothing, or too little, or models still look at it. */
export async function getReadiness(ctx: Ctx): Promise<MemoryReadiness> {
  const account = await findAccount(ctx.db, requireUser(ctx.session).userId);
  if (!account?.wantsMemories) return { reason: 'off' };
  const { hasAny, isWaiting } = await findProgress(toReader(ctx), ctx.now());
  if (!hasAny) return { reason: 'empty' };
  return { reason: isWaiting ? 'analyzing' : 'few' };
}

const toReader = ({ db, session }: Ctx): store.Reader => ({ db, session: requireUser(session) });

/** A date is its first instant in UTC, as clients of Immich mean it: days of memories are days of UTC. */
const toSearch = (ctx: Ctx, filter: MemoriesFilter): store.MemorySearch => ({
  id: filter.id,
  // By its id, a client knows which it gets.
  type: filter.type ?? (filter.withAllTypes || filter.id ? undefined : 'on_this_day'),
  isHidden: filter.isHidden ?? false,
  isSaved: filter.isSaved,
  isTrashed: filter.isTrashed ?? false,
  isUpcoming: filter.isUpcoming,
  shownAt: filter.for === undefined ? undefined : new Date(filter.for),
  now: ctx.now(),
});

/** `assets`: JSON text of each. As in Immich they have no tags, people, owner or stack. */
type ListedMemory = { readonly head: MemoryHead; readonly assets: readonly string[] };

async function readBodies(
  ctx: Ctx,
  rows: readonly store.MemoryView[],
  language: Language,
): Promise<ListedMemory[]> {
  const listed = rows.map((row) => ({ row, names: listBodyNames(row) }));
  const all = listed.flatMap(({ names }) => names);
  const bodies = await findBodies(ctx, all, toViewOptions(ctx.session, true));
  let first = 0;
  return listed.map(({ row, names }) => {
    const assets = bodies
      .slice(first, (first += names.length))
      .filter((body) => body !== undefined);
    return { head: toHead(row, assets.length, { language, now: ctx.now() }), assets };
  });
}

const formatMemory = ({ head, assets }: ListedMemory): string =>
  `${JSON.stringify(head).slice(0, -1)},"assets":[${assets.join()}]}`;

/** Throws 400 for an id that is unknown, deleted or not the caller's. */
export async function getMemory(ctx: Ctx, id: string, language: Language): Promise<Memory> {
  const row = await requireMemory(ctx, id, 'memory.read');
  const memory = getFirst(await readBodies(ctx, [row], language));
  return JSON.parse(formatMemory(memory)) as Memory;
}

async function requireMemory(ctx: Ctx, id: string, permission: string): Promise<store.MemoryView> {
  const [row] = await store.findMemories(toReader(ctx), [id]);
  if (!row) throw noAccess(permission);
  return row;
}

/** Creates a memory with those of the assets that the caller may put into it. Throws 400. */
export async function createMemory(
  ctx: Ctx,
  input: MemoryCreate,
  language: Language,
): Promise<Memory> {
  const session = requireUser(ctx.session);
  const { userId } = session;
  const type = requireValidCreate(input);
  const created = await keepLimit(ctx, 'memory', { ownerId: userId }, async (ctx) => {
    const assetIds = await lockAddable(ctx, input.assetIds ?? []);
    const values = {
      ownerId: userId,
      type,
      data: type === 'on_this_day' ? { year: requireValue(input.data, 'data').year } : {},
      name: toText(input.name),
      description: toText(input.description),
      memoryAt: toDate(input.memoryAt) ?? ctx.now(),
      showAt: toDate(input.showAt) ?? null,
      hideAt: toDate(input.hideAt) ?? null,
      seenAt: toDate(input.seenAt) ?? null,
      isSaved: input.isSaved ?? false,
      isHidden: input.isHidden ?? false,
      createdAt: ctx.now(),
      updatedAt: ctx.now(),
    };
    const scope = { ownerId: userId, rows: assetIds.size };
    return keepLimit(ctx, 'memoryItem', scope, ({ db }) =>
      store.insertMemory(db, values, [...assetIds]),
    );
  });
  return getMemory(ctx, created, language);
}

const toDate = (text: string | undefined) => (text === undefined ? undefined : new Date(text));
/** An empty text is none. */
const toText = (text: string | null | undefined): string | null => text?.trim() || null;

type Issue = { readonly code: string; readonly path: readonly string[]; readonly message: string };

/** Returns the type. Throws 400 with the errors of Immich, of which on_this_day is the only type. */
function requireValidCreate(input: MemoryCreate): MemoryType {
  const { type, data, memoryAt, name, description } = input;
  const isCustom = type === undefined && Boolean(name ?? description);
  const issues: Issue[] = [];
  if (type === undefined && !isCustom) {
    issues.push(
      toIssue(
        'invalid_value',
        ['type'],
        'Invalid option: expected one of "on_this_day"|"person"|"pet"|"place"|"custom"',
      ),
    );
  }
  if (type === 'on_this_day' || (type === undefined && !isCustom)) {
    issues.push(...listDataIssues(data));
    if (memoryAt === undefined) {
      issues.push(
        toIssue(
          'invalid_type',
          ['memoryAt'],
          'Invalid input: expected ISO 8601 datetime string, received undefined',
        ),
      );
    }
  }
  if (issues.length > 0) throw badRequest('Validation failed', { errors: issues });
  return type ?? 'custom';
}

const toIssue = (code: string, path: readonly string[], message: string): Issue => ({
  code,
  path,
  message,
});

function listDataIssues(data: MemoryCreate['data']): Issue[] {
  if (data?.year !== undefined) return [];
  const path = data ? ['data', 'year'] : ['data'];
  const expected = data ? 'number' : 'object';
  return [toIssue('invalid_type', path, `Invalid input: expected ${expected}, received undefined`)];
}

/** Changes the given members. Throws 400, also when none is given. */
export async function updateMemory(
  ctx: Ctx,
  id: string,
  change: MemoryUpdate,
  language: Language,
): Promise<Memory> {
  const { userId } = requireUser(ctx.session);
  if (Object.values(change).every((value) => value === undefined)) {
    const issue = toIssue('custom', [], 'At least one field must be provided');
    throw badRequest('Validation failed', { errors: [issue] });
  }
  const isOwn = await store.updateMemory(ctx.db, userId, id, {
    ...(change.name !== undefined && { name: toText(change.name) }),
    ...(change.description !== undefined && { description: toText(change.description) }),
    ...(change.memoryAt !== undefined && { memoryAt: new Date(change.memoryAt) }),
    ...(change.seenAt !== undefined && { seenAt: new Date(change.seenAt) }),
    ...(change.isSaved !== undefined && { isSaved: change.isSaved }),
    ...(change.isHidden !== undefined && { isHidden: change.isHidden }),
    updatedAt: ctx.now(),
  });
  if (!isOwn) throw noAccess('memory.update');
  return getMemory(ctx, id, language);
}

/** Deletes a memory with its exports; the row is kept, so that it is not generated again. Throws 400. */
export async function deleteMemory(ctx: Ctx, id: string): Promise<void> {
  const { userId } = requireUser(ctx.session);
  await inTransaction(ctx, async ({ db }) => {
    const isOwn = await store.updateMemory(db, userId, id, { deletedAt: ctx.now() });
    if (!isOwn) throw noAccess('memory.delete');
    await deleteAbout(db, { memoryIds: [id] });
    await enqueue(db, cleanExports, {});
  });
}

/** Returns a result for each id, in order. Throws 400 for a memory that is not the caller's. */
export async function addAssets(ctx: Ctx, id: string, ids: string[]): Promise<BulkIdResult[]> {
  return inTransaction(ctx, async (ctx) => {
    await lockMemory(ctx, id, 'memory.read');
    const present = await store.filterContained(ctx.db, id, ids);
    const allowed = await lockAddable(ctx, ids);
    const results = toBulkResults(ids, 'duplicate', (assetId) => {
      if (present.has(assetId)) return 'duplicate';
      return allowed.has(assetId) ? undefined : 'no_permission';
    });
    const added = new Set(
      results.flatMap((result) => (result.success ? [result.id.toLowerCase()] : [])),
    );
    if (added.size > 0) {
      const scope = { ownerId: requireUser(ctx.session).userId, rows: added.size };
      await keepLimit(ctx, 'memoryItem', scope, ({ db }) => store.addAssets(db, id, [...added]));
      await touchMemory(ctx, id);
    }
    return results;
  });
}

/** Returns a result for each id, in order. Throws 400 for a memory that is not the caller's. */
export async function removeAssets(ctx: Ctx, id: string, ids: string[]): Promise<BulkIdResult[]> {
  return inTransaction(ctx, async (ctx) => {
    await lockMemory(ctx, id, 'memory.update');
    const present = await store.filterContained(ctx.db, id, ids);
    if (present.size > 0) {
      await store.removeAssets(ctx.db, id, [...present]);
      await touchMemory(ctx, id);
    }
    return toBulkResults(ids, 'not_found', (assetId) =>
      present.has(assetId) ? undefined : 'not_found',
    );
  });
}

/** Returns those of `ids` that may be put into memories, and keeps them from being deleted meanwhile. */
async function lockAddable(ctx: Ctx, ids: readonly string[]): Promise<Set<string>> {
  await lockOwned(ctx.db, ctx.session, ids);
  return listedAmong(ctx.db, requireUser(ctx.session), ids);
}

/** Locks the memory until the transaction ends. */
async function lockMemory(ctx: Ctx, id: string, permission: string): Promise<void> {
  const isOwn = await store.lockMemory(ctx.db, requireUser(ctx.session).userId, id);
  if (!isOwn) throw noAccess(permission);
}

const touchMemory = ({ db, session, now }: Ctx, id: string) =>
  store.updateMemory(db, requireUser(session).userId, id, { updatedAt: now() });
