import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { formatNumber } from '../../base/format.ts';
import { getPictureUrl } from '../../base/pictures.ts';
import type { WorkflowPreview } from '../../data/types.ts';
import { Failure } from '../../ui/elements.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';
import { type Draft, type Faults, NO_FAULTS } from '../../data/workflows/draft.ts';
import { previewQuery } from '../../data/workflows/queries.ts';
import styles from './workflows.module.css';
import { t } from '../../base/i18n.ts';

const DEBOUNCE_MS = 400;

export type Preview = {
  /** Undefined until it is known, and without steps. */
  readonly result: WorkflowPreview | undefined;
  /** The faults of steps that cannot run. */
  readonly faults: Faults;
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly retry: () => void;
};

/** Tells which of the newest items, at most so many, the steps would have worked on, while they are written. */
export function usePreview(steps: Draft['steps'], items?: number): Preview {
  const settled = useDebounced(steps, DEBOUNCE_MS);
  const hasSteps = steps.length > 0 && settled.length > 0;
  const query = useQuery({ ...previewQuery(settled, items), enabled: hasSteps });
  return {
    result: hasSteps ? query.data?.result : undefined,
    faults: (hasSteps && query.data?.faults) || NO_FAULTS,
    error: query.error,
    isPending: hasSteps && (query.isFetching || settled !== steps),
    retry: () => void query.refetch(),
  };
}

type PanelProps = {
  preview: Preview;
  /** It is about a run, which begins with the first action. */
  isOfRun?: boolean;
};

export function PreviewPanel({ preview, isOfRun = false }: PanelProps) {
  const { result, faults, error, isPending } = preview;
  const id = useId();
  return (
    <section className={`card ${styles.preview}`} aria-labelledby={id} aria-busy={isPending}>
      <h2 id={id}>{t('Preview')}</h2>
      {error && !result ? (
        <Failure error={error} onRetry={preview.retry} />
      ) : (
        <p role="status">{describe(result, faults, isOfRun)}</p>
      )}
      {result && result.waiting > 0 && (
        <p className="muted">
          {t(
            '{waiting, plural, one {# item waits} other {# items wait}} for recognition: whether the steps match is not known yet.',
            { waiting: result.waiting },
          )}
        </p>
      )}
      {result && result.assetIds.length > 0 && <Pictures assetIds={result.assetIds} />}
    </section>
  );
}

function describe(result: WorkflowPreview | undefined, faults: Faults, isOfRun: boolean): string {
  if (faults.steps.size > 0) return t('The steps cannot run yet. Each says what it needs.');
  if (faults.text) return faults.text;
  if (!result) return t('Items that the steps would have matched appear here.');
  if (result.total === 0) return t('There are no items yet that they could have matched.');
  return isOfRun ? describeRun(result) : describeMatches(result);
}

function describeMatches({ total, matched: count, isComplete }: WorkflowPreview): string {
  const matched = formatNumber(count);
  return isComplete
    ? t('Would have matched {matched} of your {total, plural, one {# item} other {# items}}', {
        matched,
        total,
      })
    : t(
        'Would have matched at least {matched} of your items: the newest {total, plural, one {# was} other {# were}} checked',
        { matched, total },
      );
}

function describeRun({ total, affected: count, isComplete }: WorkflowPreview): string {
  const affected = formatNumber(count);
  return isComplete
    ? t('The run concerns {affected} of your {total, plural, one {# item} other {# items}}', {
        affected,
        total,
      })
    : t(
        'The run concerns at least {affected} of your items: the newest {total, plural, one {# was} other {# were}} checked',
        { affected, total },
      );
}

/** They open beside the editor, which would lose what is not saved. */
const Pictures = ({ assetIds }: { assetIds: readonly string[] }) => (
  <ul className={styles.pictures} aria-label={t('The newest of them')}>
    {assetIds.map((assetId, index) => (
      <li key={assetId}>
        <a
          className={styles.picture}
          href={`/photos/${assetId}`}
          target="_blank"
          rel="noreferrer"
          aria-label={t('Show item {number} in a new tab', { number: index + 1 })}
        >
          <img
            src={getPictureUrl(assetId, 'thumbnail')}
            alt=""
            loading="lazy"
            onError={(event) => (event.currentTarget.hidden = true)}
          />
        </a>
      </li>
    ))}
  </ul>
);
