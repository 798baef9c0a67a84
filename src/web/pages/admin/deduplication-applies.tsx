import { useState } from 'react';
import { formatAgo, formatBytes } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { attempt } from '../../ui/toast.tsx';
import type { DeduplicationApply, DeduplicationVerification } from '../../data/types.ts';
import { Progress } from '../../ui/elements.tsx';
import { isActive, restoreCopies, verifyApply } from '../../data/admin/deduplication-data.ts';
import styles from './deduplication.module.css';

/** Plans that are being applied, or were in the last 30 days. */
export function Applies({ applies }: { applies: readonly DeduplicationApply[] }) {
  return (
    <section className={styles.applies} aria-label={t('Applied plans')}>
      <h2>{t('Applied plans')}</h2>
      {applies.map((apply) => (
        <Apply key={apply.id} apply={apply} />
      ))}
    </section>
  );
}

function Apply({ apply }: { apply: DeduplicationApply }) {
  const [found, setFound] = useState<DeduplicationVerification>();
  const { id, total, processed, failed, reclaimedBytes, startedAt } = apply;
  const read = (work: () => Promise<DeduplicationVerification>, done?: string) =>
    void attempt(async () => setFound(await work()), done);
  return (
    <article className={`card ${styles.apply}`} aria-label={formatAgo(startedAt)}>
      <p role="status">
        {[
          formatAgo(startedAt),
          t('{processed} of {total} items', { processed, total }),
          failed > 0 ? t('{failed} failed', { failed }) : '',
          t('{bytes} freed', { bytes: formatBytes(reclaimedBytes) }),
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
      {isActive(apply) ? (
        <Progress value={total === 0 ? 1 : processed / total} label={t('Applied plans')} />
      ) : (
        <button className="button" onClick={() => read(() => verifyApply(id))}>
          {t('Check the files')}
        </button>
      )}
      {found && (
        <Verification
          found={found}
          onRestore={(copyId) => read(() => restoreCopies(id, [copyId]), t('Restored'))}
        />
      )}
    </article>
  );
}

type VerificationProps = {
  found: DeduplicationVerification;
  onRestore: (copyId: string) => void;
};

function Verification({ found: { retained, copies }, onRestore }: VerificationProps) {
  const damaged = retained.filter(({ checksumMatches }) => !checksumMatches);
  return (
    <>
      <p role={damaged.length > 0 ? 'alert' : 'status'}>
        {damaged.length === 0
          ? t('All kept files are intact')
          : t('Kept files are missing or have changed:')}
      </p>
      <ul className={styles.states}>
        {damaged.map(({ path }) => (
          <li key={path}>
            <code>{path}</code>
          </li>
        ))}
      </ul>
      <ul className={styles.states} aria-label={t('Copies')}>
        {copies.map((copy) => (
          <li key={copy.copyId}>
            <code>{copy.formerPath}</code>
            {copy.canRestore ? (
              <button
                className="button small"
                aria-label={t('Restore {name}', { name: copy.formerPath })}
                onClick={() => onRestore(copy.copyId)}
              >
                {t('Restore')}
              </button>
            ) : (
              <span className="tag">{STATES[copy.state]}</span>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

const STATES: Readonly<Record<DeduplicationVerification['copies'][number]['state'], string>> = {
  gone: t('Gone'),
  'on-disk': t('Changed'),
  restored: t('Restored'),
};
