import { infiniteQueryOptions } from '@tanstack/react-query';
import type {
  ProposalField,
  ProposalPage,
} from '../../../areas/metadata-changes/proposals/schemas.ts';
import type { ChangeResponse } from '../../../areas/metadata-changes/schemas.ts';
import { get, post, put } from '../../base/api.ts';
import { mutate } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import { toChunks } from '../assets/asset-actions.ts';
import { attempt, showUndo } from '../../ui/toast.tsx';
import { CHANGED_DATA, offerUndo } from './edit-data.ts';
import { t } from '../../base/i18n.ts';

export type { ProposalField };
export type ProposalItem = ProposalPage['items'][number];

/** The most items of one request. */
const MAX_ITEMS = 500;

export const proposalsQuery = (field: ProposalField) =>
  infiniteQueryOptions({
    queryKey: [...keys.assets, 'proposals', field],
    queryFn: ({ pageParam: cursor, signal }) =>
      get<ProposalPage>('/metadata-proposals', { field, cursor }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });

export type Group = { readonly day: string | undefined; readonly items: readonly ProposalItem[] };

/** Groups items by the day that is proposed or, for places, on which they were taken; undefined: no proposal. */
export function groupByDay(field: ProposalField, items: readonly ProposalItem[]): Group[] {
  const groups = new Map<string | undefined, ProposalItem[]>();
  for (const item of items) {
    const clock = field === 'date' ? item.proposal?.localDateTime : item.localDateTime;
    const day = item.proposal ? clock?.slice(0, 10) : undefined;
    const group = groups.get(day);
    if (group) group.push(item);
    else groups.set(day, [item]);
  }
  return [...groups]
    .map(([day, members]) => ({ day, items: members }))
    .toSorted((a, b) => Number(a.day === undefined) - Number(b.day === undefined));
}

export async function acceptProposals(field: ProposalField, ids: readonly string[]): Promise<void> {
  const made: ChangeResponse[] = [];
  await attempt(() =>
    mutate(
      async () => {
        for (const assetIds of toChunks(ids, MAX_ITEMS)) {
          made.push(await post<ChangeResponse>('/metadata-proposals/accept', { field, assetIds }));
        }
      },
      { invalidates: CHANGED_DATA },
    ),
  );
  offerUndo(made);
}

const setDismissed = (field: ProposalField, ids: readonly string[], isDismissed: boolean) =>
  attempt(() =>
    mutate(
      async () => {
        for (const assetIds of toChunks(ids, MAX_ITEMS)) {
          await put('/metadata-proposals/dismissed', { field, assetIds, isDismissed });
        }
      },
      { invalidates: [proposalsQuery(field).queryKey] },
    ),
  );

export async function dismissProposals(
  field: ProposalField,
  ids: readonly string[],
): Promise<void> {
  if (!(await setDismissed(field, ids, true))) return;
  showUndo(
    t('{count, plural, one {# item dismissed} other {# items dismissed}}', { count: ids.length }),
    () => setDismissed(field, ids, false),
  );
}
