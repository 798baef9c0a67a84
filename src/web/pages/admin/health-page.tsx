import { useQuery } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, CircleMinus, RefreshCw } from 'lucide-react';
import { formatInstant } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { CopyField } from '../../ui/copy-field.tsx';
import { Failure, Page } from '../../ui/elements.tsx';
import {
  type Check,
  getTitle,
  groupByState,
  healthQuery,
  isCommand,
} from '../../data/admin/health-data.ts';
import styles from '../../parts/admin/admin.module.css';

const GROUPS = {
  missing: { title: t('Needs attention'), icon: CircleAlert },
  absent: { title: t('Optional'), icon: CircleMinus },
  ok: { title: t('In order'), icon: CircleCheck },
} as const;

/** The checks of `safelight doctor`, with what mends each. Their words are those of the command line, in English. */
export function HealthPage() {
  const { data, error, isFetching, refetch } = useQuery(healthQuery());
  const button = (
    <button className="button" disabled={isFetching} onClick={() => void refetch()}>
      <RefreshCw size={18} aria-hidden /> {t('Check again')}
    </button>
  );
  return (
    <Page title={t('Health')} actions={button}>
      <p className={`muted ${styles.status}`} role="status">
        {isFetching
          ? t('Checking the server …')
          : data && t('Checked: {time}', { time: formatInstant(data.checkedAt) })}
      </p>
      {error && !isFetching && <Failure error={error} onRetry={() => void refetch()} />}
      {data && (
        <div className={styles.groups}>
          {groupByState(data.checks).map(({ state, checks }) => (
            <Group key={state} state={state} checks={checks} />
          ))}
        </div>
      )}
    </Page>
  );
}

type GroupProps = { state: Check['state']; checks: readonly Check[] };

function Group({ state, checks }: GroupProps) {
  const { title, icon: Icon } = GROUPS[state];
  return (
    <section className="card" aria-labelledby={`health-${state}`}>
      <h2 id={`health-${state}`}>{title}</h2>
      <ul className={styles.checks}>
        {checks.map((check) => (
          <li key={check.name} data-state={state}>
            <Icon size={20} aria-hidden />
            <div>
              <b>{getTitle(check)}</b>
              <p className="muted" lang="en">
                {check.detail}
              </p>
              {check.remedy !== undefined && <Remedy check={check} remedy={check.remedy} />}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Remedy({ check, remedy }: { check: Check; remedy: string }) {
  if (!isCommand(remedy)) return <p lang="en">{remedy}</p>;
  return (
    <CopyField value={remedy} label={t('Command that fixes {name}', { name: getTitle(check) })} />
  );
}
