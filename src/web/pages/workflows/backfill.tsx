import { useQuery } from '@tanstack/react-query';
import { History, Pause, Play, X } from 'lucide-react';
import { useState } from 'react';
import { formatInstant, formatList } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { attempt } from '../../ui/toast.tsx';
import type { Workflow, WorkflowBackfill } from '../../data/types.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { IconButton, Progress } from '../../ui/elements.tsx';
import { toDraft } from '../../data/workflows/draft.ts';
import { PreviewPanel, usePreview } from './preview.tsx';
import {
  backfillsQuery,
  changeBackfill,
  isActive,
  methodsQuery,
  startBackfill,
} from '../../data/workflows/queries.ts';
import { Undo } from './undo.tsx';
import { getMethodName, getWorkflowName } from '../../data/workflows/words.ts';
import styles from './workflows.module.css';

/** Starts a workflow for the photos that are there already. */
export function BackfillButton({ workflow }: { workflow: Workflow }) {
  const [isAsking, setIsAsking] = useState(false);
  const { data } = useQuery(backfillsQuery(workflow.id));
  return (
    <>
      <button
        className="button small"
        disabled={!workflow.enabled || (data?.[0] && isActive(data[0]))}
        onClick={() => setIsAsking(true)}
      >
        <History size={15} aria-hidden /> {t('Run for existing photos')}
      </button>
      {isAsking && <RunDialog workflow={workflow} onClose={() => setIsAsking(false)} />}
    </>
  );
}

/** Items that are looked at before a run. */
const MOST_ITEMS = 10_000;

/** Tells how many photos match, before anything happens to them. */
function RunDialog({ workflow, onClose }: { workflow: Workflow; onClose: () => void }) {
  const [{ steps }] = useState(() => toDraft(workflow));
  const preview = usePreview(steps, MOST_ITEMS);
  return (
    <Dialog
      title={t('Run “{name}” for all your photos?', { name: getWorkflowName(workflow) })}
      onClose={onClose}
    >
      <p className="muted">{t('Its actions run for each photo that passes its filters.')}</p>
      <PreviewPanel preview={preview} isOfRun />
      {preview.result && (
        <UndoNotice workflow={workflow} irreversible={preview.result.irreversibleSteps} />
      )}
      <div className="dialog-actions">
        <button className="button" onClick={onClose}>
          {t('Cancel')}
        </button>
        <button
          className="button primary"
          disabled={preview.isPending}
          onClick={() => {
            onClose();
            void attempt(() => startBackfill(workflow.id));
          }}
        >
          {t('Run')}
        </button>
      </div>
    </Dialog>
  );
}

type NoticeProps = { workflow: Workflow; irreversible: readonly number[] };

/** Tells what an undo of the run will do, and which actions it will not take back. */
function UndoNotice({ workflow: { steps }, irreversible }: NoticeProps) {
  const { data: methods } = useQuery(methodsQuery());
  const names = irreversible.flatMap((at) => steps[at]?.method ?? []);
  return (
    <>
      <p className="muted">
        {t('You can undo the run afterwards. What was changed in between stays as it is.')}
      </p>
      {names.length > 0 && (
        <p>
          {t('Cannot be undone: {actions}', {
            actions: formatList([...new Set(names)].map((name) => getMethodName(name, methods))),
          })}
        </p>
      )}
    </>
  );
}

/** The latest run for existing photos. */
export function LatestBackfill({ workflow }: { workflow: Workflow }) {
  const { data } = useQuery(backfillsQuery(workflow.id));
  const latest = data?.[0];
  if (!latest) return null;
  const text = describe(latest);
  return (
    <div className={styles.backfill} role="group" aria-label={t('Run for existing photos')}>
      <p aria-live="polite">{text}</p>
      {latest.error && <p className={styles.error}>{latest.error}</p>}
      {isActive(latest) && (
        <div className={styles.backfillProgress}>
          <Progress value={latest.evaluated / Math.max(latest.total, 1)} label={text} />
          <Controls backfill={latest} />
        </div>
      )}
      <Undo backfill={latest} />
    </div>
  );
}

function Controls({ backfill }: { backfill: WorkflowBackfill }) {
  // All photos have been looked at: what is left cannot be stopped.
  if (backfill.evaluated >= backfill.total) return null;
  const change = (status: 'running' | 'paused' | 'cancelled') =>
    void attempt(() => changeBackfill(backfill, status));
  const isPaused = backfill.status === 'paused';
  return (
    <>
      <IconButton
        icon={isPaused ? Play : Pause}
        label={isPaused ? t('Continue') : t('Pause')}
        className="small"
        onClick={() => change(isPaused ? 'running' : 'paused')}
      />
      <IconButton
        icon={X}
        label={t('Cancel')}
        className="small"
        onClick={() => change('cancelled')}
      />
    </>
  );
}

function describe({ status, createdAt, ...counts }: WorkflowBackfill): string {
  const { evaluated, matched, total, waiting } = counts;
  const texts = {
    running: t('{evaluated} of {total} photos checked, {matched} match', counts),
    paused: t('Paused: {evaluated} of {total} photos checked, {matched} match', counts),
    completed: t('Run for existing photos on {date}: {matched} of {total} matched', {
      date: formatInstant(createdAt),
      matched,
      total,
    }),
    cancelled: t('Canceled after {evaluated} of {total} photos, {matched} matched', counts),
    failed: t('Ended after {evaluated} of {total} photos', { evaluated, total }),
  };
  const rest = waiting > 0 ? ` · ${t('{waiting} wait for recognition', { waiting })}` : '';
  return texts[status] + rest;
}
