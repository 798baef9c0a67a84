import { type SQL, sql } from 'drizzle-orm';
import { HAS_ACTIVE_OWNER } from '../../access/albums.ts';
import { PARTNERS } from './scope.ts';
import type { Db } from '../../db/client.ts';
import { queryPrepared } from '../../db/query.ts';

export type LogState = {
  /** Everything of earlier transactions is over, and seen. */
  readonly watermark: bigint;
  /** Copies that stand before this start over. */
  readonly droppedBefore: bigint;
  readonly isPendingReset: boolean;
};

/** Which counter of transactions this is: another one after a restore or an upgrade. */
const EPOCH: SQL = sql`(select system_identifier from pg_control_system()) || '.' ||
  (select oid from pg_database where datname = current_database())`;

export async function readLogState(db: Db, sessionId: string): Promise<LogState> {
  const [row] = await db.execute<{
    watermark: string;
    dropped: string;
    is_current: boolean;
    is_pending: boolean | null;
  }>(sql`
    select pg_snapshot_xmin(pg_current_snapshot()) as watermark, dropped_before as dropped,
      epoch = ${EPOCH} as is_current,
      (select pending_sync_reset from session where id = ${sessionId}) as is_pending
    from change_log`);
  if (!row!.is_current) {
    await beginEpoch(db);
    return readLogState(db, sessionId);
  }
  return {
    watermark: BigInt(row!.watermark),
    droppedBefore: BigInt(row!.dropped),
    isPendingReset: row!.is_pending ?? false,
  };
}

/**
 * The database was restored into another place: transactions are counted anew, and copies may be ahead
 * of what there is now. So all of them start over.
 */
async function beginEpoch(db: Db): Promise<void> {
  await db.transaction(async (tx) => {
    const [log] = await tx.execute<{ epoch: string; is_current: boolean }>(
      sql`select epoch, epoch = ${EPOCH} as is_current from change_log for update`,
    );
    if (log!.is_current) return;
    if (log!.epoch !== '') {
      await tx.execute(sql`
        update session set pending_sync_reset = true
        where id in (select session_id from sync_checkpoint)`);
      await tx.execute(sql`delete from change`);
      await tx.execute(sql`delete from change_mark`);
      for (const table of ['partner', 'album', 'album_user']) {
        await tx.execute(sql`update ${sql.identifier(table)} set since = '0'`);
      }
    }
    await tx.execute(sql`update change_log set epoch = ${EPOCH}, dropped_before = '0'`);
  });
}

export type Relation = { readonly id: string; readonly since: bigint };

/** Transactions from `from` on and before `before`. */
export type Span = { readonly from: bigint; readonly before: bigint };

/** Who shares with the account. */
const partnersOf = (userId: string): SQL =>
  sql`select sharer_id as id, since from ${PARTNERS} partner where viewer_id = ${userId}`;

/** Albums that the account may open. */
const albumsOf = (userId: string): SQL => sql`
  select id, since from album where owner_id = ${userId}
  union all
  select album_user.album_id, album_user.since from album_user
  join album on album.id = album_user.album_id
  where album_user.user_id = ${userId} and album.owner_id <> ${userId} and ${HAS_ACTIVE_OWNER}`;

/** Those who began to share in that time, in the order in which they did. */
export const listPartners = (db: Db, userId: string, span: Span): Promise<Relation[]> =>
  relations(db, partnersOf(userId), span);

/** Albums that the account may open since then, in the order in which it could. */
export const listAlbums = (db: Db, userId: string, span: Span): Promise<Relation[]> =>
  relations(db, albumsOf(userId), span);

async function relations(db: Db, rows: SQL, { from, before }: Span): Promise<Relation[]> {
  const found = await db.execute<{ id: string; since: string }>(sql`
    select id, since from (${rows}) known
    where since >= ${String(from)}::xid8 and since < ${String(before)}::xid8 order by since, id`);
  return found.map(({ id, since }) => ({ id, since: BigInt(since) }));
}

/** A scope of the log, and what it is to the account: only those in which something happened. */
export type Activity = {
  readonly scope: string;
  readonly of: 'own' | 'everybody' | 'partners' | 'albums';
  /** By kind of row, when it happened last. */
  readonly newest: ReadonlyMap<string, bigint>;
};

/** In which scopes something happened since `from`. */
export async function findActivity(
  db: Db,
  userId: string,
  { from, before }: Span,
): Promise<Activity[]> {
  const rows = await queryPrepared<{
    scope: string;
    of: Activity['of'];
    kind: string;
    newest: string;
  }>(
    db,
    sql`
    select scope.id as scope, scope.of, change.kind, max(change.xid) as newest
    from (
      select ${userId}::uuid as id, 'own' as of
      union all select everybody(), 'everybody'
      union all select id, 'partners' from (${partnersOf(userId)}) known
        where since < ${String(before)}::xid8
      union all select id, 'albums' from (${albumsOf(userId)}) known
        where since < ${String(before)}::xid8
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

/** False once the session was ended, also by somebody else. */
export async function isSessionAlive(db: Db, sessionId: string, now: Date): Promise<boolean> {
  const rows = await db.execute(sql`
    select 1 from session where id = ${sessionId}
      and (expires_at is null or expires_at > ${now.toISOString()}::timestamptz)`);
  return rows.length > 0;
}

export type AuthUserRow = {
  readonly line: string;
};

/** The account itself, as one line of JSON. Neither the PIN nor its hash leaves the server. */
export async function readAuthUser(db: Db, userId: string): Promise<string | undefined> {
  const [row] = await db.execute<AuthUserRow>(sql`
    select (select row_to_json(line) from (
      select id, name, email, avatar_color as "avatarColor",
        profile_image is not null as "hasProfileImage",
        to_char(profile_changed_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
          as "profileChangedAt",
        to_char(deleted_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "deletedAt",
        is_admin as "isAdmin", '' as "oauthId", null as "pinCode", storage_label as "storageLabel",
        quota_bytes as "quotaSizeInBytes", coalesce(
          (select sum(bytes) from asset_count where owner_id = app_user.id), 0)::bigint
          as "quotaUsageInBytes") line)::text as line
    from app_user where id = ${userId}`);
  return row?.line;
}

export async function isOnboarded(db: Db, userId: string): Promise<boolean> {
  const [row] = await db.execute<{ onboarded: boolean }>(
    sql`select onboarded from app_user where id = ${userId}`,
  );
  return row?.onboarded ?? false;
}

export async function isElevated(db: Db, sessionId: string, at: Date): Promise<boolean> {
  const rows = await db.execute(sql`
    select 1 from session
    where id = ${sessionId} and elevated_until > ${at.toISOString()}::timestamptz`);
  return rows.length > 0;
}
