import { useRef, useState } from 'react';
import { formatBytes, formatNumber } from '../../base/format.ts';
import { attempt, showUndo } from '../../ui/toast.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Progress } from '../../ui/elements.tsx';
import {
  fetchIdenticalSets,
  resolveSets,
  type Summary,
  undoDecisions,
} from '../../data/duplicates/duplicate-data.ts';
import { t } from '../../base/i18n.ts';

/** Sets of one request. */
const SETS_PER_REQUEST = 100;
/** The most photos of one request to restore. */
const RESTORED_PER_REQUEST = 50_000;

type Props = {
  summary: Summary;
  onClose: (isChanged: boolean) => void;
  onUndone: () => void;
};

/**
 * Trashes all but one item of each set of identical bytes or pixels. Sets that only look the same are left for review:
 * another size, another invoice.
 */
export function AcceptAll({ summary, onClose, onUndone }: Props) {
  const { identical } = summary;
  const left = summary.sets - identical.sets;
  const [done, setDone] = useState<number>();
  const isStopped = useRef(false);
  const run = async () => {
    setDone(0);
    const trashed: string[] = [];
    let sets = 0;
    let failed = 0;
    await attempt(async () => {
      // Sets that cannot be decided stay where they are: they are passed over.
      while (!isStopped.current) {
        const page = await fetchIdenticalSets(
          Math.floor(failed / SETS_PER_REQUEST) + 1,
          SETS_PER_REQUEST,
        );
        if (page.length === 0) break;
        const groups = page.map(({ duplicateId, assets, suggestedKeepAssetIds }) => ({
          duplicateId,
          keepAssetIds: suggestedKeepAssetIds,
          trashAssetIds: assets
            .map(({ id }) => id)
            .filter((id) => !suggestedKeepAssetIds.includes(id)),
        }));
        const answer = await resolveSets(groups);
        trashed.push(...groups.flatMap(({ trashAssetIds }) => trashAssetIds));
        sets += page.length - answer.failed;
        failed += answer.failed;
        setDone(sets);
        if (answer.failed === page.length) break;
      }
    });
    if (sets > 0) {
      showUndo(t('{sets, plural, one {# set} other {# sets}} decided', { sets }), () =>
        attempt(async () => {
          for (let from = 0; from < trashed.length; from += RESTORED_PER_REQUEST) {
            await undoDecisions([], trashed.slice(from, from + RESTORED_PER_REQUEST));
          }
          onUndone();
        }),
      );
    }
    onClose(true);
  };
  const isRunning = done !== undefined;
  const close = () => {
    if (isRunning) isStopped.current = true;
    else onClose(false);
  };
  return (
    <Dialog title={t('Trash identical copies?')} onClose={close}>
      <p className="muted">
        {identical.sets === 0
          ? t('No set has identical pictures: all are left for you to review.')
          : t(
              'Of each of {sets, plural, one {# set} other {# sets}} of identical pictures, the largest file with the most details stays. {spareAssets, plural, one {# item} other {# items}} go to the trash, which frees {spareBytes} once it is emptied.',
              {
                sets: identical.sets,
                spareAssets: identical.spareAssets,
                spareBytes: formatBytes(identical.spareBytes),
              },
            )}
      </p>
      {identical.sets > 0 && left > 0 && (
        <p className="muted">
          {t(
            '{left, plural, one {# set that only looks the same is left for you to look at.} other {# sets that only look the same are left for you to look at.}}',
            { left },
          )}
        </p>
      )}
      {isRunning && <Progress value={done / identical.sets} label={t('Deciding')} />}
      <div className="dialog-actions">
        <button className="button" onClick={close}>
          {isRunning ? t('Stop') : t('Cancel')}
        </button>
        <button
          className="button primary"
          disabled={isRunning || identical.sets === 0}
          onClick={() => void run()}
        >
          {isRunning
            ? t('{done} of {sets}', {
                done: formatNumber(done),
                sets: formatNumber(identical.sets),
              })
            : t('Trash {spareAssets, plural, one {# item} other {# items}}', {
                spareAssets: identical.spareAssets,
              })}
        </button>
      </div>
    </Dialog>
  );
}
