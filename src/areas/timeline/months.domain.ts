import type { Ctx } from '../../core/context.ts';
import { recountChanged, type VersionedMonths } from '../assets/index.ts';
import { defineKind } from '../../read-cache/memory.ts';
import { countLabelledByMonth, toLabelSelection } from './labels.store.ts';
import { type BucketCount, countByMonth, type Selection } from './store.ts';
import { listMonthVersions } from './versions.store.ts';

/** The number of items by month. */
const counts = defineKind<VersionedMonths<number>>('months', (months) => months.size * MONTH_BYTES);
const MONTH_BYTES = 100;

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
  const versions = await listMonthVersions(ctx.db, selection.owners);
  const before = counts.find(ctx, key);
  const viewerId = ctx.session.kind === 'user' ? ctx.session.userId : undefined;
  const labelled = toLabelSelection(selection, viewerId);
  const months = await recountChanged({
    versions: new Map(versions.map(({ month, version }) => [month, version])),
    before,
    count: async (changed) => {
      const rows = labelled
        ? await countLabelledByMonth(ctx.db, labelled, changed)
        : await countByMonth(ctx, selection, {
            suppressed: 'in',
            ...(changed && { months: changed }),
          });
      return new Map(rows.map(({ month, assets }) => [month, Number(assets)]));
    },
    empty: 0,
  });
  if (months !== before) counts.keep(ctx, key, months);
  const shown = [...months].flatMap(([month, { value }]) =>
    value > 0 ? [{ month, assets: value }] : [],
  );
  return selection.order === 'asc' ? shown : shown.reverse();
}
