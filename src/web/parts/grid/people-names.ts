import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { isGuest } from '../../base/api.ts';
import { formatList } from '../../base/format.ts';
import type { AssetNames } from '../../data/people/people-data.ts';
import { namesQuery } from '../../data/people/queries.ts';
import { useMyId } from '../../data/session/session.ts';
import { useStore } from '../../base/store.ts';
import type { MonthColumns } from '../../data/types.ts';
import type { Scroller } from './scroller.ts';

/** So many items are asked about at once, whichever of them are in sight. */
const BLOCK = 200;

/** Returns who is on the account's own items, as a text by id; known once the timeline is slow enough to look at them. */
export function usePeopleNames(
  { id: ids, ownerId }: MonthColumns,
  from: number,
  end: number,
  scroller: Scroller,
): ReadonlyMap<string, string> {
  const me = useMyId();
  const isSlow = useStore(scroller.speed, (speed) => speed === 'slow');
  const [first, last] = [Math.floor(from / BLOCK), Math.ceil(end / BLOCK)];
  const blocks = useMemo(
    () =>
      Array.from({ length: last - first }, (_, at) => {
        const start = (first + at) * BLOCK;
        const block = ids.slice(start, start + BLOCK);
        return block.filter((_id, item) => ownerId[start + item] === me);
      }).filter((own) => own.length > 0),
    [ids, ownerId, me, first, last],
  );
  return useQueries({
    queries: blocks.map((own) => ({ ...namesQuery(own), enabled: isSlow && !isGuest() })),
    combine: toTexts,
  });
}

const toTexts = (answers: readonly { data: AssetNames[] | undefined }[]) =>
  new Map(
    answers.flatMap(({ data = [] }) =>
      data.map(({ assetId, names }): [string, string] => [assetId, formatList(names)]),
    ),
  );
