import { type SQL, sql } from 'drizzle-orm';
import { HAS_ACTIVE_OWNER } from '../../access/albums.ts';
import { PARTNERS } from './scope.ts';
import type { Db } from '../../db/client.ts';
import { column } from '../../db/columns.ts';
import { TIMELINE } from '../../db/epoch.ts';
import { getRow, queryPrepared, queryRows } from '../../db/query.ts';

export type LogState = {
  /** All earlier transactions have ended and are visible. */
  readonly watermark: bigint;
  /** Copies before this transaction must be reset. */
  readonly droppedBefore: bigint;
  readonly isPendingReset: boolean;
};

export async function readLogState(db: Db, sessionId: string): Promise<LogState> {
  const row = getRow(
    await queryRows(
      db,
      {
        watermark: column.xid8,
        dropped: column.xid8,
        is_current: column.boolean,
        is_pending: column.boolean.orNull,
      },
      sql`
    select pg_snapshot_xmin(pg_current_snapshot()) as watermark, dropped_before as dropped,
      epoch = ${TIMELINE} as is_current,
      (select pending_sync_reset from session where id = ${sessionId}) as is_pending
    from change_log`,
    ),
  );
  if (!row.is_current) {
    await recordEpoch(db);
    return readLogState(db, sessionId);
  }
  return {
    watermark: BigInt(row.watermark),
    droppedBefore: BigInt(row.dropped),
    isPendingReset: row.is_pending ?? false,
  };
}

/**
 * Records the epoch of the database. Copies may be ahead of one that was restored, or of a standby that was promoted:
 * resets all copies when it is another one.
 */
export async function recordEpoch(db: Db): Promise<void> {
  await db.transaction(async (tx) => {
    const { before, now } = getRow(
      await queryRows(
        tx,
        { before: column.text, now: column.text },
        sql`select epoch as before, ${TIMELINE} as now from change_log for update`,
      ),
    );
    if (before === now) return;
    // Also of those whose checkpoints were lost.
    if (before !== '') await queryRows(tx, sql`update session set pending_sync_reset = true`);
    if (before !== '' && !isSameCounter(before, now)) await emptyLog(tx);
    await queryRows(tx, sql`update change_log set epoch = ${now}`);
  });
}

/** Whether only the timeline differs: transaction ids go on from those that the log has. */
const isSameCounter = (before: string, now: string): boolean =>
  before.replace(/[^.]*$/, '') === now.replace(/[^.]*$/, '');

/** Transaction ids start again. */
async function emptyLog(tx: Db): Promise<void> {
  await queryRows(tx, sql`delete from change`);
  await queryRows(tx, sql`delete from change_mark`);
  for (const table of ['partner', 'album', 'album_user']) {
    await queryRows(tx, sql`update ${sql.identifier(table)} set since = '0'`);
  }
  await queryRows(tx, sql`update change_log set dropped_before = '0'`);
}

export type Relation = { readonly id: string; readonly since: bigint };

/** Transaction ids, `before` exclusive. */
export type Span = { readonly from: bigint; readonly before: bigint };

/** Selects partners who share with the account. */
const selectPartners = (userId: string): SQL =>
  sql`select sharer_id as id, since from ${PARTNERS} partner where viewer_id = ${userId}`;

/** Selects albums that the account may open. */
const selectOpenAlbums = (userId: string): SQL => sql`
  select id, since from album where owner_id = ${userId}
  union all
  select album_user.album_id, album_user.since from album_user
  join album on album.id = album_user.album_id
  where album_user.user_id = ${userId} and album.owner_id <> ${userId} and ${HAS_ACTIVE_OWNER}`;

/** Returns partners who began to share within the span, oldest first. */
export const listPartners = (db: Db, userId: string, span: Span): Promise<Relation[]> =>
  listRelations(db, selectPartners(userId), span);

/** Returns albums that the account may open since a time within the span, oldest first. */
export const listAlbums = (db: Db, userId: string, span: Span): Promise<Relation[]> =>
  listRelations(db, selectOpenAlbums(userId), span);

async function listRelations(db: Db, rows: SQL, { from, before }: Span): Promise<Relation[]> {
  const found = await queryRows(
    db,
    { id: column.uuid, since: column.xid8 },
    sql`
    select id, since from (${rows}) known
    where since >= ${String(from)}::xid8 and since < ${String(before)}::xid8 order by since, id`,
  );
  return found.map(({ id, since }) => ({ id, since: BigInt(since) }));
}

/** A scope of the log with changes, and its relation to the account. */
export type Activity = {
  readonly scope: string;
  readonly of: 'own' | 'everybody' | 'partners' | 'albums';
  /** Transaction of the latest change by kind. */
  readonly newest: ReadonlyMap<string, bigint>;
};

/**
 * Returns the scopes with changes within the span: of what the account may see, and of what it could see until a
 * transaction that the span does not cover. The copy has their content until then, and no later stream reads the span.
 */
export async function listActivity(
  db: Db,
  userId: string,
  { from, before }: Span,
): Promise<Activity[]> {
  const rows = await queryPrepared(
    db,
    {
      scope: column.uuid,
      of: column.text.as<Activity['of']>(),
      kind: column.text,
      newest: column.xid8,
    },
    sql`
    select scope.id as scope, scope.of, change.kind, max(change.xid) as newest
    from (
      select ${userId}::uuid as id, 'own' as of
      union all select everybody(), 'everybody'
      union all select id, 'partners' from (${selectPartners(userId)}) known
      union all select id, 'albums' from (${selectOpenAlbums(userId)}) known
      union all select subject_id, case kind when 'partner' then 'partners' else 'albums' end
        from change where scope_id = ${userId} and xid >= ${String(before)}::xid8
          and kind in ('partner', 'album') and subject_id <> ${userId}
    ) scope
    cross join lateral (
      select kind, xid from change where change.scope_id = scope.id
        and change.xid >= ${String(from)}::xid8 and change.xid < ${String(before)}::xid8
      offset 0) change
    group by 1, 2, 3`,
  );
  const found = new Map<string, Activity & { newest: Map<string, bigint> }>();
  for (const { scope, of, kind, newest } of rows) {
    const known = found.get(scope) ?? { scope, of, newest: new Map<string, bigint>() };
    known.newest.set(kind, BigInt(newest));
    found.set(scope, known);
  }
  return [...found.values()];
}

/** Returns false once the session has ended or expired. */
export async function isSessionAlive(db: Db, sessionId: string, now: Date): Promise<boolean> {
  const rows = await queryPrepared(
    db,
    sql`
    select 1 from session where id = ${sessionId}
      and (expires_at is null or expires_at > ${now.toISOString()}::timestamptz)`,
  );
  return rows.length > 0;
}

/** Returns whether the log has changes of the account in Locked by this transaction or a later one. */
export async function hasLockedChanges(db: Db, userId: string, from: bigint): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`
    select 1 from change
    where scope_id = ${userId} and xid >= ${String(from)}::xid8 and not is_open limit 1`,
  );
  return rows.length > 0;
}

const AUTH_USER_COLUMNS = { line: column.text };

/** Returns the account as JSON, without the PIN. */
export async function readAuthUser(db: Db, userId: string): Promise<string | undefined> {
  const [row] = await queryRows(
    db,
    AUTH_USER_COLUMNS,
    sql`
    select (select row_to_json(line) from (
      select id, name, email, avatar_color as "avatarColor",
        profile_image is not null as "hasProfileImage",
        to_char(profile_changed_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
          as "profileChangedAt",
        to_char(deleted_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "deletedAt",
        is_admin as "isAdmin", coalesce(oauth_id, '') as "oauthId", null as "pinCode", storage_label as "storageLabel",
        quota_bytes as "quotaSizeInBytes", coalesce(
          (select sum(bytes) from asset_count where owner_id = app_user.id), 0)::bigint
          as "quotaUsageInBytes") line)::text as line
    from app_user where id = ${userId}`,
  );
  return row?.line;
}

export async function isOnboarded(db: Db, userId: string): Promise<boolean> {
  const [row] = await queryRows(
    db,
    { onboarded: column.boolean },
    sql`select onboarded from app_user where id = ${userId}`,
  );
  return row?.onboarded ?? false;
}

export async function isElevated(db: Db, sessionId: string, at: Date): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`
    select 1 from session
    where id = ${sessionId} and elevated_until > ${at.toISOString()}::timestamptz`,
  );
  return rows.length > 0;
}
