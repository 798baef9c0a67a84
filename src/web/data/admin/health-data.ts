import { queryOptions } from '@tanstack/react-query';
import { post } from '../../base/api.ts';
import { t } from '../../base/i18n.ts';
import { keys } from '../query-keys.ts';
import type { Health } from '../types.ts';

export type Check = Health['checks'][number];

/** A run takes seconds and starts processes: only when somebody asks for it. */
export const healthQuery = () =>
  queryOptions({
    queryKey: [...keys.server, 'health'],
    queryFn: () => post<Health>('/admin/health-checks'),
    staleTime: Infinity,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });

const TITLES: Readonly<Record<string, string>> = {
  processor: t('Processor'),
  user: t('User of the server'),
  confinement: t('Confinement of decoders'),
  'media host': t('Media host'),
  'data folder': t('Data folder'),
  server: t('Server'),
  models: t('Models'),
  fonts: t('Fonts'),
  database: t('Database'),
  inference: t('Recognition'),
};

/** Tools are named as their packages are. */
export const getTitle = ({ name }: Check): string => TITLES[name] ?? name;

const STATES = ['missing', 'absent', 'ok'] as const;

/** Returns the checks by state, the worst first. */
export const groupByState = (checks: readonly Check[]) =>
  STATES.map((state) => ({
    state,
    checks: checks.filter((check) => check.state === state),
  })).filter(({ checks: found }) => found.length > 0);

/** Returns whether the advice is a command to run, rather than words. */
export const isCommand = (remedy: string): boolean =>
  /^(?:apt-get|safelight|systemctl|useradd) [\w ./-]+$/.test(remedy);
