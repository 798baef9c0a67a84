import { ChevronLeft, ChevronRight, CopyCheck, Layers2, ListChecks, Trash2 } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { formatBytes, formatCount } from '../format.ts';
import { createResults } from '../search/results.ts';
import { attempt, showUndo } from '../toast.tsx';
import { Empty, IconButton, Page } from '../ui/parts.tsx';
import { Viewer } from '../viewer/viewer.tsx';
import { AcceptAll } from './accept-all.tsx';
import {
  type Decision,
  type DuplicateSet,
  keepAll,
  readAgain,
  resolveSet,
  stackSet,
} from './duplicate-data.ts';
import { SetView } from './set-view.tsx';
import { useSets } from './use-sets.ts';

const MAY = { download: true, info: true };
const hrefOf = (id: string) => `/duplicates/photos/${id}`;

/** What is there more than once, set by set: what to keep, and what may go. */
export function DuplicatesPage({ photoId }: { photoId: string | undefined }) {
  const { sets, summary, error, at, go, drop, bringBack, reload } = useSets();
  const [isAcceptAll, acceptAll] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const done = useRef<(() => Promise<void>)[]>([]);
  const set = sets?.[at];
  const [keptIds, toggle] = useKept(set);
  const trashed = (set?.assets.length ?? 0) - keptIds.size;

  const decide = async (work: (set: DuplicateSet) => Promise<Decision>) => {
    if (!set || isBusy) return;
    setBusy(true);
    const isDone = await attempt(async () => {
      const { text, undo } = await work(set);
      drop(set);
      const back = async () => {
        done.current = done.current.filter((one) => one !== back);
        await attempt(async () => {
          await undo();
          bringBack(await readAgain(set));
        });
      };
      done.current.push(back);
      showUndo(text, back);
    });
    setBusy(false);
    if (!isDone) reload();
  };
  const actions = {
    apply: () => void decide((one) => (trashed > 0 ? resolveSet(one, keptIds) : keepAll(one))),
    keep: () => void decide(keepAll),
    stack: () =>
      void decide((one) =>
        stackSet(one.assets.toSorted((a, b) => rank(keptIds, a.id) - rank(keptIds, b.id))),
      ),
    next: () => go(Math.min(at + 1, (sets?.length ?? 1) - 1)),
    previous: () => go(Math.max(0, at - 1)),
  };
  const heading = useRef<HTMLHeadingElement>(null);
  // Each set is announced, and keys are for it: not for the button of the one before.
  useEffect(() => heading.current?.focus({ preventScroll: true }), [set?.duplicateId]);
  useShortcuts(photoId === undefined && !isAcceptAll, {
    enter: actions.apply,
    a: actions.keep,
    s: actions.stack,
    arrowright: actions.next,
    arrowleft: actions.previous,
    z: () => void done.current.pop()?.(),
    ...Object.fromEntries(
      (set?.assets ?? []).slice(0, 9).map(({ id }, index) => [`${index + 1}`, () => toggle(id)]),
    ),
  });

  return (
    <Page
      title="Duplicates"
      actions={
        summary &&
        summary.sets > 1 && (
          <button className="button small" onClick={() => acceptAll(true)}>
            <ListChecks size={16} aria-hidden /> Accept all
          </button>
        )
      }
    >
      {error && (
        <p role="alert">
          {error}{' '}
          <button className="button small" onClick={reload}>
            Try again
          </button>
        </p>
      )}
      {summary && summary.sets > 0 && (
        <p className="muted" role="status">
          {formatCount(summary.sets, 'set')} of {formatCount(summary.assets, 'item')}; up to{' '}
          {formatBytes(summary.spareBytes)} could be freed
        </p>
      )}
      {sets?.length === 0 && (
        <Empty
          icon={CopyCheck}
          title="No duplicates"
          text="Photos and videos that look the same are found in the background and come here to be looked at."
        />
      )}
      {set && (
        <section className="copies-set" aria-label={`Set ${at + 1} of ${summary?.sets ?? ''}`}>
          <header className="copies-head">
            <IconButton
              icon={ChevronLeft}
              label="Previous set"
              disabled={at === 0}
              onClick={actions.previous}
            />
            <h2 ref={heading} tabIndex={-1}>
              Set {at + 1} of {Math.max(summary?.sets ?? 0, sets.length)}
            </h2>
            <IconButton
              icon={ChevronRight}
              label="Next set"
              disabled={at >= sets.length - 1}
              onClick={actions.next}
            />
            <div className="copies-actions">
              <button className="button" disabled={isBusy} onClick={actions.stack}>
                <Layers2 size={18} aria-hidden /> Stack <kbd aria-hidden>S</kbd>
              </button>
              <button className="button" disabled={isBusy} onClick={actions.keep}>
                Not duplicates, keep all <kbd aria-hidden>A</kbd>
              </button>
              <button
                className={trashed > 0 && keptIds.size === 0 ? 'button danger' : 'button primary'}
                disabled={isBusy}
                onClick={actions.apply}
              >
                {trashed === 0 ? (
                  `Keep all ${set.assets.length}`
                ) : (
                  <>
                    <Trash2 size={18} aria-hidden /> {applyText(keptIds.size, trashed)}
                  </>
                )}
                <kbd aria-hidden>↵</kbd>
              </button>
            </div>
          </header>
          <SetView
            key={set.duplicateId}
            assets={set.assets}
            keptIds={keptIds}
            hrefOf={hrefOf}
            onToggle={toggle}
          />
          <p className="muted copies-note">
            Albums, tags, ratings, texts, places and people of what goes pass to what is kept. It
            lies in the trash until that is emptied.
          </p>
        </section>
      )}
      {isAcceptAll && summary && (
        <AcceptAll
          summary={summary}
          onClose={(isChanged) => {
            acceptAll(false);
            if (isChanged) reload();
          }}
          onUndone={reload}
        />
      )}
      {photoId !== undefined && set && <SetViewer key={set.duplicateId} set={set} id={photoId} />}
    </Page>
  );
}

const applyText = (kept: number, trashed: number): string =>
  kept === 0 ? `Trash all ${trashed}` : `Keep ${kept}, trash ${trashed}`;

const rank = (keptIds: ReadonlySet<string>, id: string): number => (keptIds.has(id) ? 0 : 1);

/** The suggestion of the server, until one decides otherwise. */
function useKept(
  set: DuplicateSet | undefined,
): [kept: ReadonlySet<string>, toggle: (id: string) => void] {
  const [chosen, choose] = useState<{ id: string; kept: ReadonlySet<string> }>();
  const suggested = useMemo(() => new Set(set?.suggestedKeepAssetIds), [set]);
  const kept = chosen && chosen.id === set?.duplicateId ? chosen.kept : suggested;
  const toggle = useCallback(
    (id: string) => {
      if (!set) return;
      const next = new Set(kept);
      if (!next.delete(id)) next.add(id);
      choose({ id: set.duplicateId, kept: next });
    },
    [set, kept],
  );
  return [kept, toggle];
}

/** Large, one after the other: the arrow keys go from copy to copy. */
function SetViewer({ set, id }: { set: DuplicateSet; id: string }) {
  const [, navigate] = useLocation();
  const timeline = useMemo(
    () => createResults(() => Promise.resolve({ items: set.assets, next: undefined })),
    [set],
  );
  return (
    <Viewer
      id={id}
      timeline={timeline}
      may={MAY}
      onMove={(to) => navigate(hrefOf(to), { replace: true })}
      onClose={() => navigate('/duplicates', { replace: true })}
    />
  );
}

function useShortcuts(isOn: boolean, actions: Readonly<Record<string, () => void>>): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    if (!isOn) return;
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (target.closest('input, textarea, select, dialog, .menu')) return;
      if (event.altKey || event.shiftKey) return;
      const key = event.key.toLowerCase();
      if ((event.ctrlKey || event.metaKey) && key !== 'z') return;
      // On a button or a link, Enter is for that one.
      if (key === 'enter' && target.closest('button, a')) return;
      const run = latest.current[key];
      if (!run) return;
      event.preventDefault();
      run();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [isOn]);
}
