import { useQuery } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, CircleMinus, Clock } from 'lucide-react';
import { formatInstant } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import type { ServerNode } from '../../data/types.ts';
import { Failure, Page } from '../../ui/elements.tsx';
import { describeState, nodesQuery } from '../../data/admin/nodes-data.ts';
import styles from '../../parts/admin/admin.module.css';

/** The processes that serve this library, and those that were lost within a day. */
export function NodesPage() {
  const { data, error, refetch } = useQuery(nodesQuery());
  return (
    <Page title={t('Nodes')}>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {data && (
        <ul className={styles.nodes}>
          {data.map((node) => (
            <Node key={node.id} node={node} />
          ))}
        </ul>
      )}
    </Page>
  );
}

const ICONS = {
  starting: Clock,
  ready: CircleCheck,
  draining: CircleMinus,
  refused: CircleAlert,
  gone: CircleAlert,
} as const;

function Node({ node }: { node: ServerNode }) {
  const { id, role, host, address, version, state, reason, runningJobs, startedAt } = node;
  const Icon = ICONS[state];
  const facts = [
    role === 'server' ? t('Server') : t('Worker: runs jobs only'),
    node.isLeader && t('Leader: watches the external libraries'),
    node.isAnswering && t('Serves this page'),
  ].filter(Boolean);
  return (
    <li className="card" data-state={state} aria-labelledby={`node-${id}`}>
      <h2 id={`node-${id}`}>
        <Icon size={20} aria-hidden /> {host}
      </h2>
      <p>{[describeState(node), ...facts].join(' · ')}</p>
      {reason !== null && <p lang="en">{reason}</p>}
      <dl className={styles.facts}>
        {address !== null && (
          <div>
            <dt>{t('Address')}</dt>
            <dd>{address}</dd>
          </div>
        )}
        <div>
          <dt>{t('Version')}</dt>
          <dd>{version}</dd>
        </div>
        <div>
          <dt>{t('Started')}</dt>
          <dd>{formatInstant(startedAt)}</dd>
        </div>
        <div>
          <dt>{t('Running jobs')}</dt>
          <dd>{runningJobs}</dd>
        </div>
      </dl>
    </li>
  );
}
