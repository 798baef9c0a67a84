import { CopyCheck, Layers2, ListChecks } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { isRetryable } from '../../base/api.ts';
import { formatBytes } from '../../base/format.ts';
import { createResults } from '../../data/search/results.ts';
import { Empty, Page } from '../../ui/elements.tsx';
import { isForControl, useKeyListener } from '../../ui/use-key-listener.ts';
import { Viewer } from '../../parts/viewer/lazy-viewer.tsx';
import { AcceptAll } from './accept-all.tsx';
import {
  type DuplicateSet,
  keepAll,
  resolveSet,
  stackSet,
  type Summary,
} from '../../data/duplicates/duplicate-data.ts';
import { SetHead } from './set-head.tsx';
import type { SetKind } from '../../data/duplicates/queries.ts';
import { SetView } from './set-view.tsx';
import { useDecisions } from './use-decisions.ts';
import { type Sets, useSets } from './use-sets.ts';
import styles from './duplicates.module.css';
import { t } from '../../base/i18n.ts';

const MAY = { download: true, info: true };
const toPath = (id: string) => `/duplicates/photos/${id}`;

/** Photos that are there more than once, set by set, to choose which to keep. */
export function DuplicatesPage({ photoId }: { photoId: string | undefined }) {
  const [kind, setKind] = useState<SetKind>('duplicates');
  const isBurst = kind === 'bursts';
  const { sets, summary, error, index, setIndex, remove, restore, reload } = useSets(kind);
  const total = (isBurst ? summary?.bursts : summary?.sets) ?? 0;
  const [isAcceptingAll, setAcceptingAll] = useState(false);
  const set = sets?.[index];
  const [keptIds, toggle] = useKeepSelection(set);
  const trashed = (set?.assets.length ?? 0) - keptIds.size;

  const { decide, undoLast, isBusy } = useDecisions(set, { remove, restore, reload });
  const stack = () =>
    decide((one) =>
      stackSet(one.assets.toSorted((a, b) => getRank(keptIds, a.id) - getRank(keptIds, b.id))),
    );
  const actions = {
    apply: isBurst
      ? stack
      : () => decide((one) => (trashed > 0 ? resolveSet(one, keptIds) : keepAll(one))),
    keep: () => decide(keepAll),
    stack,
    next: () => setIndex(Math.min(index + 1, (sets?.length ?? 1) - 1)),
    previous: () => setIndex(Math.max(0, index - 1)),
  };
  useShortcuts(photoId === undefined && !isAcceptingAll, {
    enter: actions.apply,
    a: actions.keep,
    s: actions.stack,
    arrowright: actions.next,
    arrowleft: actions.previous,
    z: undoLast,
    ...Object.fromEntries(
      (set?.assets ?? []).slice(0, 9).map(({ id }, index) => [`${index + 1}`, () => toggle(id)]),
    ),
  });

  return (
    <Page
      title={t('Duplicates')}
      actions={
        <PageActions
          isBurst={isBurst}
          summary={summary}
          onKind={(next) => {
            setKind(next);
            setIndex(0);
          }}
          onAcceptAll={() => setAcceptingAll(true)}
        />
      }
    >
      <Status sets={sets} summary={isBurst ? undefined : summary} error={error} reload={reload} />
      {set && (
        <section
          className={styles.copiesSet}
          aria-label={t('Set {index} of {sets}', { index: index + 1, sets: total })}
        >
          <SetHead
            key={`head ${set.duplicateId}`}
            at={index}
            isBurst={isBurst}
            total={Math.max(total, sets.length)}
            isLast={index >= sets.length - 1}
            kept={keptIds.size}
            trashed={trashed}
            isBusy={isBusy}
            actions={actions}
          />
          <SetView
            key={set.duplicateId}
            assets={set.assets}
            keptIds={keptIds}
            toHref={toPath}
            onToggle={isBurst ? undefined : toggle}
          />
          <SetNote isBurst={isBurst} />
        </section>
      )}
      {isAcceptingAll && summary && (
        <AcceptAll
          summary={summary}
          onClose={(isChanged) => {
            setAcceptingAll(false);
            if (isChanged) reload();
          }}
          onUndone={reload}
        />
      )}
      {photoId !== undefined && set && <SetViewer key={set.duplicateId} set={set} id={photoId} />}
    </Page>
  );
}

type PageActionsProps = {
  isBurst: boolean;
  summary: Summary | undefined;
  onKind: (kind: SetKind) => void;
  onAcceptAll: () => void;
};

const PageActions = ({ isBurst, summary, onKind, onAcceptAll }: PageActionsProps) => (
  <>
    {(isBurst || (summary?.bursts ?? 0) > 0) && (
      <button
        className="button small"
        aria-pressed={isBurst}
        onClick={() => onKind(isBurst ? 'duplicates' : 'bursts')}
      >
        <Layers2 size={16} aria-hidden />{' '}
        {t('{bursts, plural, one {# burst} other {# bursts}}', {
          bursts: summary?.bursts ?? 0,
        })}
      </button>
    )}
    {!isBurst && summary && summary.sets > 1 && (
      <button className="button small" onClick={onAcceptAll}>
        <ListChecks size={16} aria-hidden /> {t('Trash identical copies')}
      </button>
    )}
  </>
);

const SetNote = ({ isBurst }: { isBurst: boolean }) => (
  <p className={`muted ${styles.copiesNote}`}>
    {isBurst
      ? t('Shots of one moment, of which none is a duplicate. A stack shows the first one for all.')
      : t(
          'Albums, tags, ratings, descriptions, places and people of the removed items are added to the kept ones. Removed items stay in the trash until it is emptied.',
        )}
  </p>
);

function Status({
  sets,
  summary,
  error,
  reload,
}: Pick<Sets, 'sets' | 'summary' | 'error' | 'reload'>) {
  return (
    <>
      {error && (
        <p role="alert">
          {error.message}{' '}
          {isRetryable(error) && (
            <button className="button small" onClick={reload}>
              {t('Try again')}
            </button>
          )}
        </p>
      )}
      {summary && summary.sets > 0 && (
        <p className="muted" role="status">
          {t(
            '{sets, plural, one {# set} other {# sets}} of {assets, plural, one {# item} other {# items}}; up to {spareBytes} could be freed',
            {
              sets: summary.sets,
              assets: summary.assets,
              spareBytes: formatBytes(summary.spareBytes),
            },
          )}
        </p>
      )}
      {sets?.length === 0 && (
        <Empty
          icon={CopyCheck}
          title={t('No duplicates')}
          text={t(
            'Photos and videos that look the same are found in the background and come here to be looked at.',
          )}
        />
      )}
    </>
  );
}

const getRank = (keptIds: ReadonlySet<string>, id: string): number => (keptIds.has(id) ? 0 : 1);

/** The suggestion of the server, until one decides otherwise. */
function useKeepSelection(
  set: DuplicateSet | undefined,
): [kept: ReadonlySet<string>, toggle: (id: string) => void] {
  const [selection, setSelection] = useState<{ id: string; kept: ReadonlySet<string> }>();
  const suggested = useMemo(() => new Set(set?.suggestedKeepAssetIds), [set]);
  const kept = selection && selection.id === set?.duplicateId ? selection.kept : suggested;
  const toggle = useCallback(
    (id: string) => {
      if (!set) return;
      const next = new Set(kept);
      if (!next.delete(id)) next.add(id);
      setSelection({ id: set.duplicateId, kept: next });
    },
    [set, kept],
  );
  return [kept, toggle];
}

/** Large, one after the other: the arrow keys go from copy to copy. */
function SetViewer({ set, id }: { set: DuplicateSet; id: string }) {
  const [, navigate] = useLocation();
  const timeline = useMemo(
    () =>
      createResults(['duplicates', set.duplicateId, set.assets.map((asset) => asset.id)], () =>
        Promise.resolve({ items: set.assets, next: undefined }),
      ),
    [set],
  );
  return (
    <Viewer
      id={id}
      timeline={timeline}
      may={MAY}
      onMove={(to) => navigate(toPath(to), { replace: true })}
      onClose={() => navigate('/duplicates', { replace: true })}
    />
  );
}

function useShortcuts(isOn: boolean, actions: Readonly<Record<string, () => void>>): void {
  useKeyListener((event) => {
    if (isForControl(event)) return;
    if (event.altKey || event.shiftKey) return;
    const key = event.key.toLowerCase();
    if ((event.ctrlKey || event.metaKey) && key !== 'z') return;
    // On a button or a link, Enter is for that one.
    if (key === 'enter' && (event.target as HTMLElement).closest('button, a')) return;
    const run = actions[key];
    if (!run) return;
    event.preventDefault();
    run();
  }, isOn);
}
