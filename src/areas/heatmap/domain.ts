import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import type { UserSession } from '../../access/session.ts';
import { toDay } from '../../core/dates.ts';
import { badRequest, invalidField, noAccess } from '../../core/errors.ts';
import { readFromReplica } from '../../db/replica.ts';
import type { Heatmap, HeatmapFilter } from './schemas.ts';
import * as store from './store.ts';

/** Returns the caller's heatmap. */
export async function getMyHeatmap(ctx: Ctx, filter: HeatmapFilter): Promise<Heatmap> {
  const session = requireUser(ctx.session);
  const days = toDays(ctx, filter);
  return readFromReplica(ctx, (reader) => countShown(reader, session, days));
}

async function countShown(ctx: Ctx, session: UserSession, days: Days): Promise<Heatmap> {
  const series = await store.countByDay(ctx, session.userId, days);
  if (session.contentRules.length === 0) return toHeatmap(days, series);
  const suppressed = new Map(
    (await store.countSuppressed(ctx.db, session, days)).map(({ date, count }) => [date, count]),
  );
  return toHeatmap(
    days,
    series.flatMap(({ date, count }) => {
      const shown = count - (suppressed.get(date) ?? 0);
      return shown > 0 ? [{ date, count: shown }] : [];
    }),
  );
}

/** The year that ends today lists each day, as in Immich; a chosen range those with items. */
const toHeatmap = (days: Days, series: readonly store.DayCount[]): Heatmap => ({
  from: days.from,
  to: days.to,
  series: days.isWhole ? listEachDay(days, series) : [...series],
  totalCount: series.reduce((sum, { count }) => sum + count, 0),
});

function listEachDay({ from, to }: Days, series: readonly store.DayCount[]): store.DayCount[] {
  const counts = new Map(series.map(({ date, count }) => [date, count]));
  const all: store.DayCount[] = [];
  for (let date = from; date <= to; date = getNextDay(date))
    all.push({ date, count: counts.get(date) ?? 0 });
  return all;
}

const DAY_MS = 86_400_000;
const getNextDay = (day: string): string => toDay(new Date(Date.parse(day) + DAY_MS));

/** Returns the heatmap of any user, for administrators. Throws 400 for an unknown user. */
export async function getUserHeatmap(
  ctx: Ctx,
  id: string,
  filter: HeatmapFilter,
): Promise<Heatmap> {
  if (id.toLowerCase() === requireUser(ctx.session).userId) return getMyHeatmap(ctx, filter);
  if (!(await store.userExists(ctx.db, id))) throw noAccess('adminUser.read');
  const days = toDays(ctx, filter);
  return toHeatmap(days, await store.countByDay(ctx, id, days));
}

type Days = store.DayRange & { readonly isWhole: boolean };

/** Days of timeline and archive: those of upload are in UTC, days of capture in local time. */
function toDays(ctx: Ctx, filter: HeatmapFilter): Days {
  const to = parseDay('to', filter.to) ?? toDay(ctx.now());
  const from = parseDay('from', filter.from) ?? getDefaultStart(to);
  if (from > to) throw badRequest('from must not be after to');
  const isWhole = filter.from === undefined && filter.to === undefined;
  return { kind: filter.type === 'Taken' ? 'taken' : 'upload', from, to, isWhole };
}

/** Returns the day. Throws 400 for days that do not exist, like February 30. */
function parseDay(field: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const instant = new Date(`${text}T00:00:00Z`);
  if (text < '0001' || Number.isNaN(instant.getTime()) || toDay(instant) !== text) {
    throw invalidField(field, 'Must be an existing day (YYYY-MM-DD)');
  }
  return text;
}

/** Returns the day after the same day of the previous year. */
function getDefaultStart(day: string): string {
  const start = new Date(`${day}T00:00:00Z`);
  start.setUTCFullYear(start.getUTCFullYear() - 1);
  start.setUTCDate(start.getUTCDate() + 1);
  return toDay(start);
}
