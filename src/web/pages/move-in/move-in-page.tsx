import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { t } from '../../base/i18n.ts';
import type { MoveIn } from '../../data/types.ts';
import { Failure, Page } from '../../ui/elements.tsx';
import { useFocusOnArrival } from '../../ui/use-focus-on-arrival.ts';
import { CheckStep } from './check-step.tsx';
import { findCurrent, moveInsQuery } from '../../data/move-in/move-in-data.ts';
import { SourceStep } from './source-step.tsx';
import { TransferStep } from './transfer-step.tsx';
import { UnpackStep } from './unpack-step.tsx';
import { UploadStep } from './upload-step.tsx';
import styles from './move-in.module.css';

const STEPS = [t('Source'), t('Check'), t('Transfer')];

/** Moves photos in from another server or a folder, in three steps. A move goes on while the page is closed. */
export function MoveInPage() {
  const { data, error, refetch } = useQuery(moveInsQuery());
  /** Id of the move that is over, after which the person wants another one. */
  const [leftId, setLeftId] = useState<string>();
  const current = data && findCurrent(data);
  const moveIn =
    current && current.id !== leftId && current.status !== 'expired' ? current : undefined;
  return (
    <Page title={t('Move in')}>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {data && <Steps moveIn={moveIn} onAgain={() => setLeftId(moveIn?.id)} />}
    </Page>
  );
}

function Steps({ moveIn, onAgain }: { moveIn: MoveIn | undefined; onAgain: () => void }) {
  const part = findPart(moveIn);
  const step = PARTS[part];
  return (
    <div className={styles.moveIn}>
      <ol className={styles.moveInSteps} aria-label={t('Steps')}>
        {STEPS.map((label, at) => (
          <li key={label} aria-current={at === step ? 'step' : undefined}>
            {at + 1}. {label}
          </li>
        ))}
      </ol>
      <FocusedStep key={part} label={STEPS[step] ?? ''}>
        {moveIn === undefined && <SourceStep />}
        {moveIn && part === 'upload' && <UploadStep moveIn={moveIn} />}
        {moveIn && part === 'unpack' && <UnpackStep moveIn={moveIn} />}
        {moveIn && part === 'check' && <CheckStep moveIn={moveIn} />}
        {moveIn && part === 'transfer' && <TransferStep moveIn={moveIn} onAgain={onAgain} />}
      </FocusedStep>
    </div>
  );
}

/** Parts of the page, with the step that each belongs to. */
const PARTS = { source: 0, upload: 0, unpack: 1, check: 1, transfer: 2 } as const;

function findPart(moveIn: MoveIn | undefined): keyof typeof PARTS {
  if (moveIn === undefined) return 'source';
  const { status, archives } = moveIn;
  if (status === 'completed' || status === 'cancelled') return 'transfer';
  if (archives && archives.phase !== 'import') return archives.phase;
  return status === 'waiting' ? 'check' : 'transfer';
}

/** Takes the focus when the step changes: the button that led to it is gone. */
function FocusedStep({ label, children }: { label: string; children: ReactNode }) {
  const section = useRef<HTMLElement>(null);
  useFocusOnArrival(section);
  return (
    <section ref={section} tabIndex={-1} className="card" aria-label={label}>
      {children}
    </section>
  );
}
