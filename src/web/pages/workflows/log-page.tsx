import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { ArrowLeft, ImageOff, RotateCw, ScrollText } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { formatInstant } from '../../base/format.ts';
import { getPictureUrl } from '../../base/pictures.ts';
import { attempt } from '../../ui/toast.tsx';
import type { WorkflowLogEntry, WorkflowMethod } from '../../data/types.ts';
import { Empty, Failure, Page } from '../../ui/elements.tsx';
import {
  type LogResult,
  logQuery,
  methodsQuery,
  retryRun,
  workflowQuery,
} from '../../data/workflows/queries.ts';
import { getMethodName, getWorkflowName, RESULTS } from '../../data/workflows/words.ts';
import styles from './workflows.module.css';
import { t } from '../../base/i18n.ts';

const FILTERS: readonly (readonly [LogResult, string])[] = [
  [undefined, t('All')],
  ['completed', RESULTS.completed],
  ['halted', RESULTS.halted],
  ['error', RESULTS.error],
];

/** The results of the runs of a workflow. */
export function WorkflowLogPage({ id }: { id: string }) {
  const { data: workflow, error, refetch } = useQuery(workflowQuery(id));
  const [result, setResult] = useState<LogResult>();
  return (
    <Page title={workflow ? t('Log of “{name}”', { name: getWorkflowName(workflow) }) : t('Log')}>
      <Link className="button small" href="/workflows">
        <ArrowLeft size={15} aria-hidden /> {t('Workflows')}
      </Link>
      {error && !workflow && <Failure error={error} onRetry={() => void refetch()} />}
      {workflow && (
        <>
          <div className={styles.filters} role="group" aria-label={t('Result')}>
            {FILTERS.map(([value, label]) => (
              <button
                key={label}
                className="button small"
                aria-pressed={value === result}
                onClick={() => setResult(value)}
              >
                {label}
              </button>
            ))}
          </div>
          {!workflow.logging && (
            <p className="muted">{t('Logging is switched off: new runs do not appear here.')}</p>
          )}
          <Entries key={result} workflowId={id} result={result} />
        </>
      )}
    </Page>
  );
}

function Entries({ workflowId, result }: { workflowId: string; result: LogResult }) {
  const log = useInfiniteQuery(logQuery(workflowId, result));
  const { data: methods } = useQuery(methodsQuery());
  const { data, error } = log;
  if (error && !data) return <Failure error={error} onRetry={() => void log.refetch()} />;
  return (
    <>
      {data?.length === 0 && (
        <Empty
          icon={ScrollText}
          title={t('No entries')}
          text={t('Each item that the workflow checks appears here.')}
        />
      )}
      <ol className={styles.log} aria-label={t('Log')}>
        {data?.map((entry) => (
          <Entry key={entry.id} workflowId={workflowId} entry={entry} methods={methods} />
        ))}
      </ol>
      {log.hasNextPage && (
        <button
          className="button"
          disabled={log.isFetchingNextPage}
          onClick={() => void log.fetchNextPage()}
        >
          {t('Show older')}
        </button>
      )}
    </>
  );
}

type EntryProps = {
  workflowId: string;
  entry: WorkflowLogEntry;
  methods: readonly WorkflowMethod[] | undefined;
};

function Entry({ workflowId, entry, methods }: EntryProps) {
  const { at, attempt: number, canRetry, error, lastStep, result, runId, triggerDataId } = entry;
  return (
    <li>
      <Picture id={triggerDataId} />
      <div className={styles.words}>
        <strong data-result={result}>{RESULTS[result]}</strong>
        <small>
          <time dateTime={at}>{formatInstant(at)}</time>
          {number > 1 && ` · ${t('Attempt {number}', { number })}`}
        </small>
        {lastStep && (
          <small>
            {t('Last step: {at}. {name}', {
              at: lastStep.index + 1,
              name: getMethodName(lastStep.method, methods),
            })}
          </small>
        )}
        {error && <small className={styles.error}>{error}</small>}
      </div>
      {canRetry && (
        <button
          className="button small"
          onClick={() => void attempt(() => retryRun(workflowId, runId), t('Running again'))}
        >
          <RotateCw size={15} aria-hidden /> {t('Try again')}
        </button>
      )}
    </li>
  );
}

function Picture({ id }: { id: string | undefined }) {
  if (!id) {
    return (
      <span className={styles.picture}>
        <ImageOff size={20} role="img" aria-label={t('The item cannot be shown')} />
      </span>
    );
  }
  return (
    <Link className={styles.picture} href={`/photos/${id}`} aria-label={t('Show the item')}>
      <img
        src={getPictureUrl(id, 'thumbnail')}
        alt=""
        loading="lazy"
        onError={(event) => (event.currentTarget.hidden = true)}
      />
    </Link>
  );
}
