import type { Ctx } from '../../core/context.ts';
import { cacheMonths, getCachedMonths } from './cache.ts';
import { type BucketCount, countByMonth, type Selection } from './store.ts';
import { listMonthVersions } from './versions.store.ts';

type OwnedSelection = Selection & { readonly owners: readonly string[] };

/**
 * Returns the counts cached under this key after counting the months again whose version has changed:
 * usually one or two. Includes suppressed items.
 */
export async function sumByVersion(
  ctx: Ctx,
  selection: OwnedSelection,
  key: string,
): Promise<BucketCount[]> {
  // Read before the rows: a change in between makes the count newer than its version, never older.
  const versions = await listMonthVersions(ctx.db, selection.owners);
  const before = getCachedMonths(ctx.sql, key);
  const isKnown = ({ month, version }: (typeof versions)[number]) =>
    before?.get(month)?.version === version;
  const counts = await countMonths(ctx, selection, {
    months: versions.filter((entry) => !isKnown(entry)).map(({ month }) => month),
    isAll: !versions.some(isKnown),
  });
  const months = new Map(
    versions.map((entry) => {
      const { month, version } = entry;
      const counted = { version, assets: counts.get(month) ?? 0 };
      return [month, isKnown(entry) ? before!.get(month)! : counted];
    }),
  );
  cacheMonths(ctx.sql, key, months);
  const shown = [...months].flatMap(([month, { assets }]) =>
    assets > 0 ? [{ month, assets }] : [],
  );
  return selection.order === 'asc' ? shown : shown.reverse();
}

async function countMonths(
  ctx: Ctx,
  selection: OwnedSelection,
  { months, isAll }: { readonly months: readonly string[]; readonly isAll: boolean },
): Promise<ReadonlyMap<string, number>> {
  if (months.length === 0) return new Map();
  const rows = await countByMonth(ctx, selection, {
    suppressed: 'in',
    ...(isAll ? {} : { months }),
  });
  return new Map(rows.map(({ month, assets }) => [month, Number(assets)]));
}
