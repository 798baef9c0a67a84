import { createAddressLane, runCounted } from '../../access/attempt-throttle.ts';
import { requirePermissions } from '../../access/permissions.ts';
import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { formatCsvLine } from '../../core/csv.ts';
import type { ErrorCode } from '../../core/error-codes.ts';
import { AppError, conflict, noAccess, notFound, unavailable } from '../../core/errors.ts';
import { inTransaction } from '../../db/transaction.ts';
import { NODE_ID } from '../../jobs/node-id.ts';
import { endPostponement } from '../../jobs/postpone.ts';
import { enqueue } from '../../jobs/queue.ts';
import * as operations from '../../operations/store.ts';
import { type ImmichClient, ImmichUnavailable, toApiUrl } from '../imports/index.ts';
import { createMoveInClient } from './client.ts';
import { findKey, forgetKey, holdKey } from './keys.ts';
import { removeArchives, requireHere, requireNotElsewhere } from './archives/files.ts';
import {
  type ArchivesMoveIn,
  type ArchivesProgress,
  getArchives,
  isFromArchives,
  isFromFolder,
  isFromServer,
  moveInKind,
  type MoveInOperation,
  type ServerMoveIn,
} from './kind.ts';
import { describeMoveIn, getExpiry, LIFETIME_MS, prepareMoveIn } from './prepare.domain.ts';
import type { MoveIn, MoveInCreateDto, MoveInFailurePage, MoveInFailuresQuery } from './schemas.ts';
import * as store from './store.ts';
import { canStart, getStatus } from './view.ts';

/** Somebody waits for the answer. */
const TIMING = {
  attempts: 2,
  deadlineMs: 20_000,
  pauseMs: 500,
  maxAnswerBytes: 32 * 1024 ** 2,
};
const STARTED = ['queued', 'running'];

const invalidState = (operation: MoveInOperation) =>
  conflict(`Not possible while the move is ${getStatus(operation)}`, { code: 'invalid_state' });

export async function listMoveIns(ctx: Ctx): Promise<MoveIn[]> {
  const { userId } = requireUser(ctx.session);
  await operations.expireOperations(ctx.db, [moveInKind], ctx.now(), userId);
  const all = await operations.listOperations(ctx.db, moveInKind, userId, operations.KEPT);
  return Promise.all(all.map((operation) => describeMoveIn(ctx, operation)));
}

/**
 * Looks at an account of another server. Throws 400 that names the address or the key, 409 for an account with too many
 * moves that are not over.
 */
export async function createMoveIn(
  ctx: Ctx,
  { url, key }: typeof MoveInCreateDto.static,
): Promise<MoveIn> {
  const [address, found, userId] = await tryAddress(ctx, async () => {
    const client = openClient(ctx, url, key);
    return [toApiUrl(url), await client.count(), await client.getUserId()] as const;
  });
  const moveIn = await prepareMoveIn(ctx, { url: address, userId, found });
  holdKey(moveIn.id, key, LIFETIME_MS);
  return { ...moveIn, needsKey: false };
}

const openClient = ({ settings, session }: Ctx, address: string, key: string): ImmichClient =>
  createMoveInClient({
    address,
    key,
    settings,
    isAdmin: requireUser(session).isAdmin,
    timing: TIMING,
  });

/** Returns an error about a field whose code clients translate. */
const invalid = (field: string, message: string, code: ErrorCode) =>
  new AppError('badRequest', message, {
    code,
    detail: { errors: [{ code, path: [field], message }] },
  });

/**
 * Turns what another server is not able to into 400 about the address or the key. Throws 429 for an account with too many of
 * them, which may be looking for what this server reaches.
 */
async function tryAddress<T>(ctx: Ctx, work: () => Promise<T>): Promise<T> {
  try {
    return await runCounted(ctx, createAddressLane(requireUser(ctx.session).userId), work);
  } catch (error) {
    if (!(error instanceof ImmichUnavailable)) throw error;
    const isKey = error.code === 'key_refused' || error.code === 'permission_missing';
    throw invalid(isKey ? 'key' : 'url', error.message, error.code);
  }
}

/**
 * Starts a move, or continues it where it stopped. Throws 409 for one that is over, and without a key that is not in
 * memory any more; 400 for a key of another account.
 */
export async function startMoveIn(ctx: Ctx, id: string, key: string | undefined): Promise<MoveIn> {
  if (!ctx.settings.lanes.includes('background')) {
    throw unavailable('This server runs no background jobs: start the move at another one');
  }
  const { userId } = requireUser(ctx.session);
  await operations.expireOperations(ctx.db, [moveInKind], ctx.now(), userId);
  const known = await findOwn(ctx, id);
  if (isFromFolder(known)) requireFolderAccess(ctx);
  if (isFromArchives(known)) await requireHere(ctx, known.payload);
  const valid =
    canStart(known) && isFromServer(known) ? await requireKey(ctx, known, key) : undefined;
  return changeLocked(ctx, id, async (ctx, operation) => {
    if (STARTED.includes(operation.state)) return operation;
    if (!canStart(operation)) throw invalidState(operation);
    if (valid !== undefined) holdKey(id, valid);
    const archives = isFromArchives(operation) ? beginArchives(operation) : undefined;
    await endPostponement(ctx.db, moveInKind.job, id);
    await enqueue(ctx.db, moveInKind.job, { operationId: id });
    return operations.updateOperation(ctx.db, moveInKind, operation, {
      state: 'queued',
      error: null,
      expiresAt: null,
      finishedAt: null,
      progress: { ...operation.progress, keyHolder: NODE_ID, ...(archives && { archives }) },
    });
  });
}

/** Throws 409 while bytes of the archives are missing. */
function beginArchives(operation: ArchivesMoveIn): ArchivesProgress {
  const archives = getArchives(operation);
  if (archives.phase !== 'upload') return archives;
  const { archives: all } = operation.payload;
  if (archives.parts.some(({ received }, at) => received !== all[at]?.size))
    throw conflict('The archives are not there yet', { code: 'archives_incomplete' });
  return { ...archives, phase: 'unpack' };
}

/** An account may have been an administrator, with a key that may more, when it has looked at the folder. */
function requireFolderAccess({ session }: Ctx): void {
  const user = requireUser(session);
  if (!user.isAdmin) throw noAccess('move.start');
  requirePermissions(user, ['library.create']);
}

/** Throws 404 for a foreign one, as for one that is not there. */
async function findOwn(ctx: Ctx, id: string): Promise<MoveInOperation> {
  const { userId: accountId } = requireUser(ctx.session);
  const operation = await operations.findOperation(ctx.db, moveInKind, { accountId, id });
  if (!operation) throw notFound('Move');
  return operation;
}

/** Returns the key that was given, or else the one that is in memory. */
async function requireKey(
  ctx: Ctx,
  { id, payload }: ServerMoveIn,
  key: string | undefined,
): Promise<string> {
  if (key === undefined) {
    const held = findKey(id);
    if (held !== undefined) return held;
    throw conflict('The API key is needed again: it is not saved', { code: 'key_required' });
  }
  const userId = await tryAddress(ctx, () => openClient(ctx, payload.url, key).getUserId());
  if (userId !== payload.userId) {
    throw invalid('key', 'Must be a key of the same account', 'other_account');
  }
  return key;
}

/** Pauses a move between two requests to the other server. Throws 409 for one that does not run. */
export const pauseMoveIn = (ctx: Ctx, id: string): Promise<MoveIn> =>
  changeLocked(ctx, id, async (ctx, operation) => {
    if (getStatus(operation) === 'paused') return operation;
    if (!STARTED.includes(operation.state)) throw invalidState(operation);
    return operations.updateOperation(ctx.db, moveInKind, operation, {
      state: 'prepared',
      startedAt: operation.startedAt ?? ctx.now(),
      expiresAt: getExpiry(operation, ctx.now()),
      progress: { ...operation.progress, isAway: false, awaySince: null },
    });
  });

/** Cancels a move that was started; what it has taken in stays. Removes another one. */
export async function deleteMoveIn(ctx: Ctx, id: string): Promise<void> {
  const known = await findOwn(ctx, id);
  if (isFromArchives(known)) await requireNotElsewhere(ctx, known.payload);
  await changeLocked(ctx, id, async (ctx, operation) => {
    const isStarted = [...STARTED, 'prepared'].includes(operation.state);
    if (isStarted && getStatus(operation) !== 'waiting') {
      return operations.updateOperation(ctx.db, moveInKind, operation, {
        state: 'cancelled',
        finishedAt: ctx.now(),
        progress: { ...operation.progress, isAway: false, awaySince: null },
      });
    }
    await operations.deleteOperation(ctx.db, id);
    return operation;
  });
  forgetKey(id);
  // A run that ends now removes what it has made.
  if (known.state !== 'running') await removeArchives(ctx.paths, id);
}

/** Changes an own operation under lock. Throws 404. */
async function changeLocked(
  ctx: Ctx,
  id: string,
  work: (ctx: Ctx, operation: MoveInOperation) => Promise<MoveInOperation>,
): Promise<MoveIn> {
  const { userId } = requireUser(ctx.session);
  const changed = await inTransaction(ctx, async (ctx) => {
    const operation = await operations.lockOperation(ctx.db, moveInKind, id);
    if (operation?.accountId !== userId) throw notFound('Move');
    return work(ctx, operation);
  });
  return describeMoveIn(ctx, changed);
}

const REPORT_BATCH = 1000;

/** Returns the report of the latest run as CSV: what failed, and then what is listed for another reason. Throws 404. */
export async function getMoveInReport(ctx: Ctx, id: string): Promise<AsyncGenerator<string, void>> {
  await findOwn(ctx, id);
  return renderReport(ctx, id);
}

async function* renderReport({ db }: Ctx, id: string): AsyncGenerator<string, void> {
  yield formatCsvLine(['status', 'name', 'reason']);
  let after: number | undefined = -1;
  while (after !== undefined) {
    const rows: store.ReportEntry[] = await store.listReport(db, id, after, REPORT_BATCH);
    const lines = rows.map(({ isFailure, name, reason }) =>
      formatCsvLine([isFailure ? 'failed' : 'listed', name, reason]),
    );
    if (lines.length > 0) yield lines.join('');
    after = rows[REPORT_BATCH - 1]?.position;
  }
}

/** Returns a page of the files that the latest run could not take in. Throws 404. */
export async function listMoveInFailures(
  ctx: Ctx,
  id: string,
  { after = -1, size }: typeof MoveInFailuresQuery.static,
): Promise<MoveInFailurePage> {
  await findOwn(ctx, id);
  const found = await store.listFailures(ctx.db, id, after, size + 1);
  return { failures: found.slice(0, size), hasNextPage: found.length > size };
}
