import { useQuery } from '@tanstack/react-query';
import { Archive, Undo2, X } from 'lucide-react';
import { useEffect } from 'react';
import { formatAgo } from '../../base/format.ts';
import type { ArchiveOperation } from '../../data/types.ts';
import { Progress } from '../../ui/elements.tsx';
import {
  describeProgress,
  followOperation,
  isWorking,
  undoOperation,
} from '../../data/archive/operations.ts';
import { operationsQuery } from '../../data/archive/queries.ts';
import styles from './archive.module.css';
import { t } from '../../base/i18n.ts';

const MOST_SHOWN = 3;
const DAY_MS = 86_400_000;

/** The latest archive operations, each with Undo; above the archive. */
export function RecentOperations() {
  const { data: operations } = useQuery(operationsQuery());
  useEffect(() => {
    // Begun on another device, or before this page was opened.
    for (const operation of operations ?? [])
      if (isWorking(operation)) void followOperation(operation);
  }, [operations]);
  const shown = (operations ?? []).filter(isShown).slice(0, MOST_SHOWN);
  if (shown.length === 0) return null;
  return (
    <ul data-part="operations" className={styles.operations} aria-label={t('Recently archived')}>
      {shown.map((operation) => (
        <li key={operation.id}>
          <Archive size={18} aria-hidden />
          <span>
            {describeProgress(operation)}
            <small>
              {operation.source === 'timeline' ? t('The whole timeline') : t('A selection')},{' '}
              {formatAgo(operation.createdAt)}
            </small>
          </span>
          <Act operation={operation} />
          {isWorking(operation) && (
            <Progress value={computeProgress(operation)} label={describeProgress(operation)} />
          )}
        </li>
      ))}
    </ul>
  );
}

const isShown = (operation: ArchiveOperation): boolean =>
  isWorking(operation) ||
  (operation.canUndo &&
    operation.archived > 0 &&
    Date.now() - Date.parse(operation.createdAt) < DAY_MS);

function computeProgress({ status, total, processed, archived, restored, kept }: ArchiveOperation) {
  if (status === 'undoing') return (restored + kept) / Math.max(1, archived);
  return status === 'stopping' ? undefined : processed / Math.max(1, total);
}

function Act({ operation }: { operation: ArchiveOperation }) {
  const isRunning = operation.status === 'queued' || operation.status === 'running';
  if (!operation.canUndo) return null;
  return (
    <button className="button small" onClick={() => void undoOperation(operation)}>
      {isRunning ? <X size={15} aria-hidden /> : <Undo2 size={15} aria-hidden />}
      {isRunning ? t('Stop') : t('Undo')}
    </button>
  );
}
