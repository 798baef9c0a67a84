import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { ApiError, get, post, remove } from '../../base/api.ts';
import { t } from '../../base/i18n.ts';
import { mutate } from '../../base/query-client.ts';
import { keys, PHOTOS } from '../query-keys.ts';
import type { MoveIn, MoveInFailurePage, MoveInFolder } from '../types.ts';

/** No event tells how far a move is, in ms. */
const PROGRESS_MS = 1000;

type Status = MoveIn['status'];
type Reason = NonNullable<MoveIn['reason']> | 'other_account';

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
  mutate(() => translate(post<MoveIn>('/move-ins', body)), CHANGED);

export const checkFolder = (body: MoveInFolder): Promise<MoveIn> =>
  mutate(() => translate(post<MoveIn>('/move-ins/folder', body)), CHANGED);

export const startMoveIn = ({ id }: MoveIn, key?: string): Promise<MoveIn> =>
  mutate(
    () => translate(post<MoveIn>(`/move-ins/${id}/start`, key === undefined ? {} : { key })),
    CHANGED,
  );

export const pauseMoveIn = ({ id }: MoveIn): Promise<MoveIn> =>
  mutate(() => post<MoveIn>(`/move-ins/${id}/pause`), CHANGED);

/** Cancels a move that was started, and removes another one. */
export const deleteMoveIn = ({ id }: MoveIn): Promise<void> =>
  mutate(() => remove(`/move-ins/${id}`), { invalidates: [keys.moveIns, ...PHOTOS] });

async function translate<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ApiError) || !isReason(error.code)) throw error;
    const text = REASONS[error.code];
    const fields = Object.fromEntries(Object.keys(error.fields).map((name) => [name, text]));
    throw new ApiError(error.status, text, fields, error.code);
  }
}

const isReason = (code: string | undefined): code is Reason =>
  code !== undefined && Object.hasOwn(REASONS, code);

const REASONS: Readonly<Record<Reason, string>> = {
  address_invalid: t('This is not a valid address. Example: http://nas:2283.'),
  address_refused: t('This server may not connect to that address for your account.'),
  certificate_invalid: t('The certificate of the other server is not valid for this address.'),
  unreachable: t('The other server cannot be reached.'),
  timeout: t('The other server did not answer in time.'),
  key_refused: t('The other server does not know this API key.'),
  permission_missing: t('The API key lacks a permission.'),
  redirected: t('That address leads to another one: enter that instead.'),
  not_immich: t('No Immich server answers there.'),
  answer_too_large: t('The other server gives an answer that is too large.'),
  quota_exceeded: t('Your storage quota is used up.'),
  storage_full: t('The disk of this server is full.'),
  folder_missing: t('This folder is not there.'),
  folder_denied: t('This server may not read that folder.'),
  folder_refused: t(
    'This folder could not be imported: it is not a folder, is a link, or belongs to the data of this server.',
  ),
  account_missing: t('The account is gone, or may not do this any more.'),
  interrupted: t('This server was restarted.'),
  failed: t('Something went wrong. The log of the server says more.'),
  other_account: t('This API key belongs to another account of that server.'),
};

export const describeReason = (reason: NonNullable<MoveIn['reason']>): string => REASONS[reason];

/** Returns how far a move is, from 0 to 1: albums and tags are the last tenth. */
export function getShare({ found, done }: MoveIn): number {
  const assets = found.photos + found.videos;
  const collections = found.albums + found.tags;
  const part = (count: number, total: number) => (total === 0 ? 1 : Math.min(1, count / total));
  return 0.9 * part(done.assets, assets) + 0.1 * part(done.albums + done.tags, collections);
}
