import { infiniteQueryOptions } from '@tanstack/react-query';
import { get, post, remove } from '../../base/api.ts';
import { t } from '../../base/i18n.ts';
import { mutate } from '../../base/query-client.ts';
import { keys, PHOTOS } from '../../data/query-keys.ts';
import { attempt, showToast, showUndo } from '../../ui/toast.tsx';
import type { RawPair, RawPairs, Stack } from '../../data/types.ts';

/** Raw photos of which there is a picture, too, a page at a time. */
export const rawPairsQuery = () =>
  infiniteQueryOptions({
    queryKey: [...keys.results, 'raw-pairs'],
    queryFn: ({ pageParam }) =>
      get<RawPairs>('/assets/raw-pairs', pageParam === null ? {} : { cursor: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

const STACKS = { invalidates: [...PHOTOS, keys.assets] };

/** Stacks each raw photo below its picture. Pairs of which one is in a stack already stay as they are. */
export async function stackPairs(pairs: readonly RawPair[]): Promise<boolean> {
  const free = pairs.filter(({ isStacked }) => !isStacked);
  const made: string[] = [];
  const stackAll = async () => {
    for (const { raw, picture } of free) {
      const { id } = await post<Stack>('/stacks', { assetIds: [picture.id, raw.id] });
      made.push(id);
    }
  };
  const isDone = await attempt(() => mutate(stackAll, STACKS));
  const text = t('{count, plural, one {# pair} other {# pairs}} stacked', { count: made.length });
  if (made.length === 0) {
    if (isDone) showToast(text);
    return isDone;
  }
  // Also when it has failed half-way.
  showUndo(text, () => attempt(() => mutate(() => remove('/stacks', { ids: made }), STACKS)));
  return isDone;
}
