import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, invalidField, noAccess } from '../../core/errors.ts';
import type { Heatmap, HeatmapFilter } from './schemas.ts';
import * as store from './store.ts';

export async function myHeatmap(ctx: Ctx, filter: HeatmapFilter): Promise<Heatmap> {
  const session = requireUser(ctx.session);
  const heatmap = await heatmapOf(ctx, session.userId, filter);
  if (session.contentRules.length === 0) return heatmap;
  const days = { kind: kindOf(filter), from: heatmap.from, to: heatmap.to };
  const less = new Map(
    (await store.countSuppressed(ctx.db, session, days)).map(({ date, count }) => [date, count]),
  );
  return withSeries(
    heatmap,
    heatmap.series.flatMap(({ date, count }) => {
      const shown = count - (less.get(date) ?? 0);
      return shown > 0 ? [{ date, count: shown }] : [];
    }),
  );
}

const withSeries = (range: Pick<Heatmap, 'from' | 'to'>, series: Heatmap['series']): Heatmap => ({
  from: range.from,
  to: range.to,
  series,
  totalCount: series.reduce((sum, { count }) => sum + count, 0),
});

const kindOf = ({ type }: HeatmapFilter): store.Days['kind'] =>
  type === 'Taken' ? 'taken' : 'upload';

/** Of any account: the route is for administrators. */
export async function heatmapOfAccount(ctx: Ctx, id: string, filter: HeatmapFilter) {
  if (id.toLowerCase() === requireUser(ctx.session).userId) return myHeatmap(ctx, filter);
  if (!(await store.hasAccount(ctx.db, id))) throw noAccess('adminUser.read');
  return heatmapOf(ctx, id, filter);
}

/**
 * Counts what the account shows itself, Timeline and archive: nothing locked, trashed or hidden. A
 * day of upload is one in UTC; a day of capture is the one on the calendar where it was.
 */
async function heatmapOf(ctx: Ctx, ownerId: string, filter: HeatmapFilter): Promise<Heatmap> {
  const to = dayOf('to', filter.to) ?? toDay(ctx.now());
  const from = dayOf('from', filter.from) ?? startOfYearUntil(to);
  if (from > to) throw badRequest('from must not be after to');
  const series = await store.countByDay(ctx.db, ownerId, { kind: kindOf(filter), from, to });
  return withSeries({ from, to }, [...series]);
}

/** Refuses what looks like a day and is in no calendar, as February 30. */
function dayOf(field: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const instant = new Date(`${text}T00:00:00Z`);
  if (text < '0001' || Number.isNaN(instant.getTime()) || toDay(instant) !== text) {
    throw invalidField(field, 'Not a day of the calendar');
  }
  return text;
}

/** The day after the same day of the year before. */
function startOfYearUntil(day: string): string {
  const start = new Date(`${day}T00:00:00Z`);
  start.setUTCFullYear(start.getUTCFullYear() - 1);
  start.setUTCDate(start.getUTCDate() + 1);
  return toDay(start);
}

const toDay = (instant: Date): string => instant.toISOString().slice(0, 10);
