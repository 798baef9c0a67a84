import { queryOptions } from '@tanstack/react-query';
import { get, post, put } from '../../base/api.ts';
import { mutate, updateData } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import type {
  Config,
  DeduplicationApply,
  DeduplicationCopy,
  DeduplicationGroup,
  DeduplicationPlan,
  DeduplicationPreview,
  DeduplicationVerification,
} from '../types.ts';
import { t } from '../../base/i18n.ts';

/** No event tells how far a preview or a run is. */
const BUSY_MS = 1000;
const IDLE_MS = 30_000;

const OWN_CONFIG = '/admin/config/safelight';

export type Decision = DeduplicationCopy['decision'];
export type OwnConfig = Pick<Config, 'webhooks' | 'physicalDeduplication'>;
export type FormerFiles = OwnConfig['physicalDeduplication']['formerFiles'];

export const FORMER_FILES: Readonly<Record<FormerFiles, string>> = {
  leave: t('Leave them where they are'),
  quarantine: t('Move them to the quarantine for 30 days'),
  'share-blocks': t('Share their space, where the disk supports it'),
};

export const isBusy = ({ status, applies }: DeduplicationPreview): boolean =>
  status === 'queued' || status === 'running' || applies.some(isActive);
export const isActive = ({ status }: DeduplicationApply): boolean =>
  status === 'queued' || status === 'running';

export const previewQuery = (limit: number) =>
  queryOptions({
    queryKey: [...keys.deduplication, 'preview', limit],
    queryFn: () => get<DeduplicationPreview>('/admin/physical-deduplication/preview', { limit }),
    refetchInterval: ({ state: { data } }) => (data && isBusy(data) ? BUSY_MS : IDLE_MS),
  });

export const ownConfigQuery = () =>
  queryOptions({
    queryKey: [...keys.config, 'own'],
    queryFn: () => get<OwnConfig>(OWN_CONFIG),
  });

const EFFECTS = { invalidates: [keys.deduplication, keys.jobs] };

export const startPreview = (body: object): Promise<unknown> =>
  mutate(() => post('/admin/physical-deduplication/preview', body), EFFECTS);

export const startApply = (): Promise<unknown> =>
  mutate(() => post('/jobs', { name: 'physical-deduplication-apply' }), EFFECTS);

/**
 * Changes options, and shows them at once. The server takes the whole document: changes are made one after
 * the other, each to what it holds at that moment.
 */
export function saveOptions(change: Partial<OwnConfig['physicalDeduplication']>): Promise<unknown> {
  const merge = (old: OwnConfig): OwnConfig => ({
    ...old,
    physicalDeduplication: { ...old.physicalDeduplication, ...change },
  });
  const save = async () => put<OwnConfig>(OWN_CONFIG, merge(await get<OwnConfig>(OWN_CONFIG)));
  return mutate(save, {
    invalidates: [keys.deduplication],
    replaces: ownConfigQuery().queryKey,
    apply: () => updateData<OwnConfig>(ownConfigQuery().queryKey, merge),
  });
}

/** Saves one decision about copies of the plan, and shows it at once. */
export function decide(
  { id: planId, fingerprint }: DeduplicationPlan,
  copyIds: ReadonlySet<string>,
  decision: Decision,
  limit: number,
): Promise<unknown> {
  const decisions = [...copyIds].map((copyId) => ({ copyId, decision }));
  const change = (group: DeduplicationGroup): DeduplicationGroup => ({
    ...group,
    copies: group.copies.map((copy) => (copyIds.has(copy.id) ? { ...copy, decision } : copy)),
  });
  return mutate(
    () => post('/admin/physical-deduplication/plan/review', { planId, fingerprint, decisions }),
    {
      ...EFFECTS,
      apply: () =>
        updateData<DeduplicationPreview>(previewQuery(limit).queryKey, (old) => ({
          ...old,
          plan: old.plan && { ...old.plan, groups: old.plan.groups.map(change) },
        })),
    },
  );
}

export const verifyApply = (id: string): Promise<DeduplicationVerification> =>
  post(`/admin/physical-deduplication/applies/${id}/verify`);

export const restoreCopies = (
  id: string,
  copyIds: readonly string[],
): Promise<DeduplicationVerification> =>
  mutate(() => post(`/admin/physical-deduplication/applies/${id}/restore`, { copyIds }), EFFECTS);
