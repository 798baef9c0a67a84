import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { FileStack } from 'lucide-react';
import { useId, useState } from 'react';
import { formatBytes } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { attempt } from '../../ui/toast.tsx';
import type { DeduplicationPreview, Me } from '../../data/types.ts';
import { Empty, Page } from '../../ui/elements.tsx';
import { Applies } from './deduplication-applies.tsx';
import {
  FORMER_FILES,
  type FormerFiles,
  isBusy,
  ownConfigQuery,
  previewQuery,
  saveOptions,
  startPreview,
} from '../../data/admin/deduplication-data.ts';
import { Plan } from './deduplication-plan.tsx';
import styles from './deduplication.module.css';
import { usersQuery } from '../../data/admin/queries.ts';

const PAGE = 50;

/** The same files in several folders: what to keep of them, and what became of the others. */
export function DeduplicationPage() {
  const [limit, setLimit] = useState(PAGE);
  const { data, error } = useQuery({ ...previewQuery(limit), placeholderData: keepPreviousData });
  const { data: users = [] } = useQuery(usersQuery());
  const accounts = users.filter(({ deletedAt }) => !deletedAt);
  const groups = data?.plan?.groups;
  return (
    <Page title={t('Deduplication')}>
      <p className={`muted ${styles.intro}`}>
        {t(
          'The same file in several folders takes its space several times. Decide here which one your photos are shown from. Nothing changes before you apply it.',
        )}
      </p>
      {error && <p role="alert">{error.message}</p>}
      <Options accounts={accounts} />
      {data && <Search accounts={accounts} preview={data} />}
      {data?.plan && groups && groups.length > 0 && <Plan plan={data.plan} limit={limit} />}
      {groups?.length === 0 && (
        <Empty
          icon={FileStack}
          title={t('No copies found')}
          text={t('No file in your folders exists twice.')}
        />
      )}
      {groups?.length === limit && (
        <button className="button" onClick={() => setLimit(limit + PAGE * 4)}>
          {t('Show more')}
        </button>
      )}
      {data && data.applies.length > 0 && <Applies applies={data.applies} />}
    </Page>
  );
}

type Accounts = { accounts: readonly Me[] };

/** The configuration of every plan. */
function Options({ accounts }: Accounts) {
  const { data: own } = useQuery(ownConfigQuery());
  if (!own) return null;
  const { masterUserId, formerFiles } = own.physicalDeduplication;
  return (
    <div className={styles.options}>
      <AccountSelect
        label={t('Master account')}
        none={t('Choose an account')}
        accounts={accounts}
        value={masterUserId ?? ''}
        onChange={(id) => void attempt(() => saveOptions({ masterUserId: id || null }))}
      />
      <Select
        label={t('Files of copies')}
        options={Object.entries(FORMER_FILES)}
        value={formerFiles}
        onChange={(value) => void attempt(() => saveOptions({ formerFiles: value as FormerFiles }))}
      />
    </div>
  );
}

/** Makes a new plan. */
function Search({ accounts, preview }: Accounts & { preview: DeduplicationPreview }) {
  const [retainUserId, setRetainUserId] = useState('');
  const [reviewUserId, setReviewUserId] = useState('');
  const { status, plan, error } = preview;
  const start = () =>
    void attempt(() =>
      startPreview({ retainUserId: retainUserId || null, reviewUserId: reviewUserId || null }),
    );
  return (
    <section className={`card ${styles.search}`} aria-label={t('Look for copies')}>
      <div className={styles.options}>
        <AccountSelect
          label={t('Keep all files of')}
          none={t('No account in particular')}
          accounts={accounts.filter(({ id }) => id !== reviewUserId)}
          value={retainUserId}
          onChange={setRetainUserId}
        />
        <AccountSelect
          label={t('Only copies of')}
          none={t('All accounts')}
          accounts={accounts.filter(({ id }) => id !== retainUserId)}
          value={reviewUserId}
          onChange={setReviewUserId}
        />
        <button className="button" disabled={isBusy(preview)} onClick={start}>
          {t('Look for copies')}
        </button>
      </div>
      <p role="status">
        {status === 'queued' || status === 'running'
          ? t('Looking for copies …')
          : plan &&
            t('Copies take {bytes}. Uploads share {shared} already.', {
              bytes: formatBytes(plan.reclaimableBytes),
              shared: formatBytes(plan.sharedBytes),
            })}
      </p>
      {status === 'failed' && <p role="alert">{error}</p>}
    </section>
  );
}

type SelectProps = {
  label: string;
  options: readonly (readonly [value: string, name: string])[];
  value: string;
  onChange: (value: string) => void;
};

function Select({ label, options, value, onChange }: SelectProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map(([option, name]) => (
          <option key={option} value={option}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

const AccountSelect = ({
  accounts,
  none,
  ...rest
}: Accounts & Omit<SelectProps, 'options'> & { none: string }) => (
  <Select
    {...rest}
    options={[['', none], ...accounts.map(({ id, name }) => [id, name] as const)]}
  />
);
