import { queryOptions } from '@tanstack/react-query';
import { get, post, put, remove } from '../../base/api.ts';
import { t } from '../../base/i18n.ts';
import { mutate } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import { showToast } from '../../ui/toast.tsx';
import type { ModelOverview, ModelPull } from '../types.ts';

/** No event tells how far a download or the analysis is. */
const PROGRESS_MS = 1000;
const REST_MS = 10_000;

export const isUnderWay = (pull: ModelPull | null): boolean =>
  pull?.state === 'queued' || pull?.state === 'running';

export const modelsQuery = () =>
  queryOptions({
    queryKey: [...keys.server, 'models'],
    queryFn: () => get<ModelOverview>('/admin/models'),
    refetchInterval: ({ state }) => (isUnderWay(state.data?.pull ?? null) ? PROGRESS_MS : REST_MS),
  });

const CHANGED = { invalidates: [[...keys.server, 'models']] };

export const startPull = (set: string): Promise<unknown> =>
  mutate(() => post('/admin/models/pulls', { set }), CHANGED);

export const cancelPull = (id: string): Promise<unknown> =>
  mutate(() => remove(`/admin/models/pulls/${id}`), CHANGED);

const saveChoice = (name: string | null): Promise<unknown> =>
  mutate(() => put('/admin/models/search', { name }), CHANGED);

/** `before`: the choice that the undo goes back to. */
export async function chooseModel(name: string, before: string | null): Promise<void> {
  await saveChoice(name);
  showToast(t('The search changes to {name}', { name: formatModelName(name) }), 'success', {
    actions: [{ label: t('Undo'), run: () => saveChoice(before) }],
  });
}

export const confirmModel = (): Promise<unknown> =>
  mutate(() => post('/admin/models/search/confirm'), CHANGED);

export const formatModelName = (name: string): string =>
  name === 'default' ? t('Default set') : name.replace(/^clip\//, '');

/** Returns how far a download is, from 0 to 1 of its current file; undefined while that is not known. */
export const getPullShare = ({ bytes, totalBytes }: ModelPull): number | undefined =>
  totalBytes ? Math.min(1, bytes / totalBytes) : undefined;
