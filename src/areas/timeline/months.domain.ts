import type { Ctx } from '../../core/context.ts';
import { keepMonths, keptMonths } from './cache.ts';
import { type BucketCount, countByMonth, type Selection } from './store.ts';
import { versionsByMonth } from './versions.store.ts';

type OwnedSelection = Selection & { readonly owners: readonly string[] };

/**
 * What was counted before under this key, with the months counted again that changed since then: a
 * day's work changes one or two of them. What rules leave out is counted in.
 */
export async function sumByVersion(
  ctx: Ctx,
  selection: OwnedSelection,
  key: string,
): Promise<BucketCount[]> {
  // Read before the rows: a change in between makes a count newer than its version, never older.
  const versions = await versionsByMonth(ctx.db, selection.owners);
  const before = keptMonths(ctx.sql, key);
  const isKnown = ({ month, version }: (typeof versions)[number]) =>
    before?.get(month)?.version === version;
  const counts = await countSome(ctx, selection, {
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
  keepMonths(ctx.sql, key, months);
  const shown = [...months].flatMap(([month, { assets }]) =>
    assets > 0 ? [{ month, assets }] : [],
  );
  return selection.order === 'asc' ? shown : shown.reverse();
}

async function countSome(
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
