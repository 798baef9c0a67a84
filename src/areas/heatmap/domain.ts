import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { toDay } from '../../core/dates.ts';
import { badRequest, invalidField, noAccess } from '../../core/errors.ts';
import type { Heatmap, HeatmapFilter } from './schemas.ts';
import * as store from './store.ts';

export async function getMyHeatmap(ctx: Ctx, filter: HeatmapFilter): Promise<Heatmap> {
  const session = requireUser(ctx.session);
  const heatmap = await computeHeatmap(ctx, session.userId, filter);
  if (session.contentRules.length === 0) return heatmap;
  const days = { kind: toDayKind(filter), from: heatmap.from, to: heatmap.to };
  const suppressed = new Map(
    (await store.countSuppressed(ctx.db, session, days)).map(({ date, count }) => [date, count]),
  );
  return withSeries(
    heatmap,
    heatmap.series.flatMap(({ date, count }) => {
      const shown = count - (suppressed.get(date) ?? 0);
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

const toDayKind = ({ type }: HeatmapFilter): store.DayRange['kind'] =>
  type === 'Taken' ? 'taken' : 'upload';

/** Returns the heatmap of any user, for administrators. Throws 400 for an unknown user. */
export async function getUserHeatmap(ctx: Ctx, id: string, filter: HeatmapFilter) {
  if (id.toLowerCase() === requireUser(ctx.session).userId) return getMyHeatmap(ctx, filter);
  if (!(await store.userExists(ctx.db, id))) throw noAccess('adminUser.read');
  return computeHeatmap(ctx, id, filter);
}

/**
 * Counts items in timeline and archive by day. Days of upload are in UTC, days of capture in local
 * time.
 */
async function computeHeatmap(ctx: Ctx, ownerId: string, filter: HeatmapFilter): Promise<Heatmap> {
  const to = parseDay('to', filter.to) ?? toDay(ctx.now());
  const from = parseDay('from', filter.from) ?? getDefaultStart(to);
  if (from > to) throw badRequest('from must not be after to');
  const series = await store.countByDay(ctx, ownerId, { kind: toDayKind(filter), from, to });
  return withSeries({ from, to }, [...series]);
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
