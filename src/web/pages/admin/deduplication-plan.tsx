import { useEffect, useRef, useState } from 'react';
import { formatBytes } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { getPictureUrl } from '../../base/pictures.ts';
import { attempt } from '../../ui/toast.tsx';
import type { DeduplicationCopy, DeduplicationGroup, DeduplicationPlan } from '../../data/types.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { isForControl, useKeyListener } from '../../ui/use-key-listener.ts';
import { decide, type Decision, startApply } from '../../data/admin/deduplication-data.ts';
import styles from './deduplication.module.css';

type Props = { plan: DeduplicationPlan; limit: number };

/** The copies beside the files that are kept, to decide about. */
export function Plan({ plan, limit }: Props) {
  const copies = plan.groups.flatMap((group) => group.copies);
  const isOpen = plan.status === 'previewed' || plan.status === 'reviewed';
  const [activeId, setActiveId] = useState<string>();
  const save = (ids: readonly string[], decision: Decision) =>
    void attempt(() => decide(plan, new Set(ids), decision, limit));
  const move = (step: number) => {
    const at = copies.findIndex(({ id }) => id === activeId);
    setActiveId(copies[Math.max(0, Math.min(copies.length - 1, at + step))]?.id);
  };
  const decideActive = (decision: Decision) => {
    if (activeId) save([activeId], decision);
  };
  useShortcuts(isOpen, {
    arrowdown: () => move(1),
    arrowup: () => move(-1),
    a: () => decideActive('approve'),
    r: () => decideActive('reject'),
    u: () => decideActive('undecided'),
  });
  return (
    <section className={styles.plan} aria-label={t('Copies')}>
      {isOpen && <Actions copies={copies} onDecide={save} />}
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t('Kept')}</th>
            <th scope="col">{t('Copies')}</th>
            <th scope="col">{t('Decision')}</th>
          </tr>
        </thead>
        <tbody>
          {plan.groups.flatMap((group) =>
            group.copies.map((copy, at) => (
              <Row
                key={copy.id}
                group={group}
                copy={copy}
                isFirst={at === 0}
                isActive={copy.id === activeId}
                isOpen={isOpen}
                onDecide={(decision) => {
                  setActiveId(copy.id);
                  save([copy.id], decision);
                }}
              />
            )),
          )}
        </tbody>
      </table>
    </section>
  );
}

type Save = (ids: readonly string[], decision: Decision) => void;

function Actions({ copies, onDecide }: { copies: readonly DeduplicationCopy[]; onDecide: Save }) {
  const [isAsked, setAsked] = useState(false);
  const approved = copies.filter(({ decision }) => decision === 'approve');
  const undecided = copies.filter(({ decision }) => decision === 'undecided');
  const bytes = approved.reduce((sum, { sizeInBytes }) => sum + sizeInBytes, 0);
  return (
    <div className={styles.actions}>
      <p role="status">
        {t('{count, plural, one {# copy approved} other {# copies approved}}: {bytes}', {
          count: approved.length,
          bytes: formatBytes(bytes),
        })}
      </p>
      <p className={`muted ${styles.keys}`}>{t('Keys: ↑ ↓ moves, A approves, R rejects')}</p>
      <button
        className="button"
        disabled={undecided.length === 0}
        onClick={() =>
          onDecide(
            undecided.map(({ id }) => id),
            'approve',
          )
        }
      >
        {t('Approve the rest')}
      </button>
      <button
        className="button primary"
        disabled={approved.length === 0}
        onClick={() => setAsked(true)}
      >
        {t('Apply')}
      </button>
      {isAsked && (
        <Confirm
          title={t('Apply the plan?')}
          text={t(
            'The photos of approved copies are shown from the kept files from now on. All files are read again before.',
          )}
          action={t('Apply')}
          onConfirm={() => void attempt(startApply, t('Started'))}
          onClose={() => setAsked(false)}
        />
      )}
    </div>
  );
}

type RowProps = {
  group: DeduplicationGroup;
  copy: DeduplicationCopy;
  isFirst: boolean;
  isActive: boolean;
  isOpen: boolean;
  onDecide: (decision: Decision) => void;
};

function Row({ group, copy, isFirst, isActive, isOpen, onDecide }: RowProps) {
  const row = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (isActive) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  const choose = (decision: Decision, label: string) => (
    <button
      className="button small"
      disabled={!isOpen}
      aria-pressed={copy.decision === decision}
      aria-label={`${label}: ${copy.path}`}
      onClick={() => onDecide(copy.decision === decision ? 'undecided' : decision)}
    >
      {label}
    </button>
  );
  return (
    <tr ref={row} aria-current={isActive || undefined} data-first={isFirst || undefined}>
      {isFirst && (
        <td rowSpan={group.copies.length}>
          <File file={group.retained} />
        </td>
      )}
      <td>
        <File file={copy} />
        {copy.problem && <p className={styles.problem}>{copy.problem}</p>}
      </td>
      <td>
        <div className={styles.choice}>
          {choose('approve', t('Approve'))}
          {choose('reject', t('Reject'))}
        </div>
      </td>
    </tr>
  );
}

function File({ file }: { file: DeduplicationCopy }) {
  return (
    <div className={styles.file}>
      {file.isThumbnailVisible ? (
        <img src={getPictureUrl(file.assetId, 'thumbnail')} alt="" loading="lazy" />
      ) : (
        <span className={styles.hidden}>{t('Not shared with you')}</span>
      )}
      <div>
        <code>{file.path}</code>
        <small className="muted">
          {[file.ownerName, formatBytes(file.sizeInBytes)].filter(Boolean).join(' · ')}
        </small>
      </div>
    </div>
  );
}

function useShortcuts(isOn: boolean, actions: Readonly<Record<string, () => void>>): void {
  useKeyListener((event) => {
    if (isForControl(event)) return;
    if (event.altKey || event.shiftKey || event.ctrlKey || event.metaKey) return;
    const run = actions[event.key.toLowerCase()];
    if (!run) return;
    event.preventDefault();
    run();
  }, isOn);
}
