import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { get, post, remove } from '../../base/api.ts';
import { ERROR_TEXTS } from '../../base/error-texts.ts';
import { t } from '../../base/i18n.ts';
import { invalidate, mutate } from '../../base/query-client.ts';
import { keys, PHOTOS } from '../query-keys.ts';
import type { MoveIn, MoveInArchives, MoveInFailurePage, MoveInFolder } from '../types.ts';

/** No event tells how far a move is, in ms. */
const PROGRESS_MS = 1000;

type Status = MoveIn['status'];
type Reason = NonNullable<MoveIn['reason']>;

const OPEN: readonly Status[] = ['waiting', 'queued', 'running', 'paused', 'failed'];

export const isUnderWay = ({ status }: MoveIn): boolean =>
  status === 'queued' || status === 'running';

export const moveInsQuery = () =>
  queryOptions({
    queryKey: [...keys.moveIns, 'list'],
    queryFn: () => get<MoveIn[]>('/move-ins'),
    refetchInterval: ({ state }) => (state.data?.some(isUnderWay) ? PROGRESS_MS : false),
  });

/** Returns the move that the page is about: one that is not over, else the latest. */
export const findCurrent = (moveIns: readonly MoveIn[]): MoveIn | undefined =>
  moveIns.find(({ status }) => OPEN.includes(status)) ?? moveIns[0];

export const moveInFailuresQuery = ({ id, failures }: MoveIn) =>
  infiniteQueryOptions({
    queryKey: [...keys.moveIns, 'failures', id, failures],
    queryFn: ({ pageParam }) =>
      get<MoveInFailurePage>(
        `/move-ins/${id}/failures`,
        pageParam === null ? {} : { after: pageParam },
      ),
    initialPageParam: null as number | null,
    getNextPageParam: (page) => (page.hasNextPage ? page.failures.at(-1)?.position : undefined),
  });

const CHANGED = { invalidates: [keys.moveIns] };

/** Throws ApiError with a sentence at the field that is wrong. */
export const checkMoveIn = (body: { url: string; key: string }): Promise<MoveIn> =>
  mutate(() => post<MoveIn>('/move-ins', body), CHANGED);

export const checkFolder = (body: MoveInFolder): Promise<MoveIn> =>
  mutate(() => post<MoveIn>('/move-ins/folder', body), CHANGED);

/** The bytes of the files come next. */
export const createArchives = (body: MoveInArchives): Promise<MoveIn> =>
  mutate(() => post<MoveIn>('/move-ins/archives', body), CHANGED);

export const invalidateMoveIns = (): Promise<void> => invalidate([keys.moveIns]);

export const startMoveIn = ({ id }: MoveIn, key?: string): Promise<MoveIn> =>
  mutate(() => post<MoveIn>(`/move-ins/${id}/start`, key === undefined ? {} : { key }), CHANGED);

export const pauseMoveIn = ({ id }: MoveIn): Promise<MoveIn> =>
  mutate(() => post<MoveIn>(`/move-ins/${id}/pause`), CHANGED);

/** Cancels a move that was started, and removes another one. */
export const deleteMoveIn = ({ id }: MoveIn): Promise<void> =>
  mutate(() => remove(`/move-ins/${id}`), { invalidates: [keys.moveIns, ...PHOTOS] });

const REASONS: Readonly<Record<Reason, string>> = {
  ...ERROR_TEXTS,
  account_missing: t('The account is gone, or may not do this any more.'),
  interrupted: t('This server was restarted.'),
  failed: t('Something went wrong. The log of the server says more.'),
};

export const describeReason = (reason: Reason): string => REASONS[reason];

/** Returns how far a move is, from 0 to 1: albums and tags are the last tenth. */
export function getShare({ found, done }: MoveIn): number {
  const assets = found.photos + found.videos;
  const collections = found.albums + found.tags;
  const part = (count: number, total: number) => (total === 0 ? 1 : Math.min(1, count / total));
  return 0.9 * part(done.assets, assets) + 0.1 * part(done.albums + done.tags, collections);
}
