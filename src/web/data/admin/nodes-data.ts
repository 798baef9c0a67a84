import { queryOptions } from '@tanstack/react-query';
import { get } from '../../base/api.ts';
import { formatInstant } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { keys } from '../query-keys.ts';
import type { ServerNode } from '../types.ts';

/** No event tells of a node; heartbeats are two seconds apart. */
const REFRESH_MS = 5000;

export const nodesQuery = () =>
  queryOptions({
    queryKey: [...keys.server, 'nodes'],
    queryFn: () => get<ServerNode[]>('/admin/nodes'),
    refetchInterval: REFRESH_MS,
  });

const STATES: Readonly<Record<ServerNode['state'], string>> = {
  starting: t('Waiting'),
  ready: t('Ready'),
  draining: t('About to stop'),
  refused: t('Not serving requests'),
  gone: t('Lost'),
};

export const describeState = ({ state, seenAt }: Pick<ServerNode, 'state' | 'seenAt'>): string =>
  state === 'gone' && seenAt !== null
    ? t('Lost since {time}', { time: formatInstant(seenAt) })
    : STATES[state];
