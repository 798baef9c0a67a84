import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import { column, type InferRow } from '../db/columns.ts';
import { queryRows } from '../db/query.ts';

// Clocks jump; what was deleted for good does not come back. Retention therefore waits for time that the server has seen
// pass: each process adds the uptime of its machine (which no clock changes) to a span, and a step of the clock or a
// boot begins the next span. A day on the clock that no uptime covers does not count, except that a machine that is
// switched off every night would keep things three times as long: time off counts up to twice the uptime before it, and
// a day at most. What is uncounted is told to administrators; counting later deletes later, which loses nothing.

/** A step of the clock, not its correction. */
const MIN_STEP_MS = 30_000;
/** The passed time is written rarely, so that disks can sleep. */
const RECORD_MS = 10 * 60_000;
const DAY_MS = 24 * 3_600_000;
const MAX_OFF_MS = DAY_MS;
const MAX_OFF_PER_UPTIME = 2;
/** Processes of one machine write at slightly different times. */
const UPTIME_SLACK_MS = 60_000;

export type ClockReading = {
  /** Identifies the boot of the machine. */
  readonly bootId: string;
  /** Milliseconds since the boot, also while the machine was suspended. */
  readonly uptimeMs: number;
  /** By the clock, in ms since 1970. */
  readonly nowMs: number;
};

const readProc = (path: string): string | undefined => {
  try {
    return readFileSync(`/proc/${path}`, 'utf8').trim();
  } catch {
    return undefined;
  }
};

export const readClocks = (): ClockReading => ({
  bootId: readProc('sys/kernel/random/boot_id') ?? '',
  uptimeMs: Math.round(1000 * (Number.parseFloat(readProc('uptime') ?? '') || uptime())),
  nowMs: Date.now(),
});

/** Returns a function that adds the time since its last call to what the server has seen pass. */
export function createTimeRecorder(read: () => ClockReading = readClocks) {
  let last: ClockReading | undefined;
  return async (db: Db): Promise<void> => {
    const reading = read();
    if (last && !hasStepped(last, reading) && reading.uptimeMs - last.uptimeMs < RECORD_MS) return;
    await recordTime(db, reading);
    last = reading;
  };
}

const getOffset = ({ nowMs, uptimeMs }: ClockReading) => nowMs - uptimeMs;

const hasStepped = (before: ClockReading, now: ClockReading): boolean =>
  Math.abs(getOffset(now) - getOffset(before)) > MIN_STEP_MS;

const SPAN_COLUMNS = {
  id: column.bigint,
  boot_id: column.text,
  /** At its end. */
  uptime_ms: column.float,
  /** In ms since 1970, by the clock of that time. */
  started_at: column.float,
  from_ms: column.float,
  to_ms: column.float,
};

type Span = InferRow<typeof SPAN_COLUMNS>;

const getEnd = ({ started_at, from_ms, to_ms }: Span) => started_at + to_ms - from_ms;

const toReading = (span: Span): ClockReading => ({
  bootId: span.boot_id,
  uptimeMs: span.uptime_ms,
  nowMs: getEnd(span),
});

const recordTime = (db: Db, reading: ClockReading): Promise<void> =>
  db.transaction(async (tx) => {
    await queryRows(tx, sql`select pg_advisory_xact_lock(hashtext('clock_span'))`);
    const { bootId, uptimeMs, nowMs } = reading;
    const own = await findSpan(
      tx,
      sql`where boot_id = ${bootId} and uptime_ms <= ${uptimeMs + UPTIME_SLACK_MS}::float8
        order by id desc limit 1`,
    );
    if (own) {
      const passed = Math.max(0, uptimeMs - own.uptime_ms);
      await queryRows(
        tx,
        sql`
        update clock_span set to_ms = to_ms + ${passed}::float8, uptime_ms = uptime_ms + ${passed}::float8
        where id = ${own.id}::bigint`,
      );
      if (hasStepped(toReading(own), reading))
        await insertSpan(tx, reading, own.to_ms + passed, nowMs - getEnd(own) - passed);
      return;
    }
    const last = await findSpan(tx, sql`order by to_ms desc, id desc limit 1`);
    const gap = last ? nowMs - getEnd(last) : 0;
    const most = Math.min(MAX_OFF_MS, MAX_OFF_PER_UPTIME * (last?.uptime_ms ?? 0));
    const counted = Math.max(0, Math.min(gap, most));
    await insertSpan(tx, reading, (last?.to_ms ?? 0) + counted, gap - counted);
  });

async function findSpan(db: Db, which: ReturnType<typeof sql>): Promise<Span | undefined> {
  const [span] = await queryRows(
    db,
    SPAN_COLUMNS,
    sql`
    select id, boot_id, uptime_ms::float8, extract(epoch from started_at)::float8 * 1000 as started_at,
      from_ms::float8, to_ms::float8
    from clock_span ${which}`,
  );
  return span;
}

const insertSpan = (
  db: Db,
  { bootId, uptimeMs, nowMs }: ClockReading,
  atMs: number,
  uncountedMs: number,
) =>
  queryRows(
    db,
    sql`
    insert into clock_span (boot_id, uptime_ms, started_at, from_ms, to_ms, uncounted_ms)
    values (${bootId}, ${uptimeMs}::float8, ${new Date(nowMs).toISOString()}::timestamptz,
      ${atMs}::float8, ${atMs}::float8, ${Math.max(0, uncountedMs)}::float8)`,
  );

/**
 * Returns the time, by the clock of then, before which things happened that are at least so old, of time that the server
 * has seen pass; 1970 while it has not seen that much.
 */
export async function getCutoff(db: Db, retentionMs: number): Promise<Date> {
  // A clock that was set back tells an earlier time later: the earliest that any span since then has told is safe.
  const [row] = await queryRows(
    db,
    { at: column.float.orNull },
    sql`
    with wanted as (select max(to_ms) - ${retentionMs}::float8 as ms, min(from_ms) as first from clock_span)
    select min(extract(epoch from started_at)::float8 * 1000 + greatest(0, ms - from_ms))::float8 as at
    from wanted, clock_span where first <= ms and to_ms >= ms`,
  );
  return new Date(row?.at ?? 0);
}

/** Time on the clock that is not counted: the clock was set forward, or the machine was off. */
export type UncountedTime = { readonly at: string; readonly days: number };

/** Returns what is not counted, from a day on, since the server has seen these days pass; the oldest first. */
export async function listUncountedTime(db: Db, sinceDays = 30): Promise<UncountedTime[]> {
  const rows = await queryRows(
    db,
    { at: column.timestamptz, days: column.integer },
    sql`
    select started_at as at, round(uncounted_ms / ${DAY_MS}::float8)::int as days from clock_span
    where uncounted_ms >= ${DAY_MS}::float8
      and from_ms > (select max(to_ms) from clock_span) - ${sinceDays * DAY_MS}::float8
    order by id`,
  );
  return rows.map(({ at, days }) => ({ at: new Date(at).toISOString(), days }));
}
