import { Link } from 'wouter';
import { formatBytes, formatNumber } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { attempt } from '../../ui/toast.tsx';
import type { MoveIn } from '../../data/types.ts';
import { Form, useForm } from '../../ui/form.tsx';
import { Progress } from '../../ui/elements.tsx';
import { CancelMove } from './cancel-move.tsx';
import { Count, describeLeftOut } from './check-step.tsx';
import { Failures, ReportLink } from './failures.tsx';
import {
  describeReason,
  getShare,
  isUnderWay,
  pauseMoveIn,
  startMoveIn,
} from '../../data/move-in/move-in-data.ts';
import { KeyField } from './server-step.tsx';

type Props = { moveIn: MoveIn; onAgain: () => void };

/** The progress of a move, and its result. */
export function TransferStep({ moveIn, onAgain }: Props) {
  const { status, found, done, failures, noted } = moveIn;
  const isOver = status === 'completed' || status === 'cancelled';
  return (
    <>
      <div role="status">
        <h2>{describeStatus(moveIn)}</h2>
      </div>
      {!isOver && <Progress value={getShare(moveIn)} label={t('Progress of the move')} />}
      {moveIn.reason && status !== 'queued' && <p>{describeReason(moveIn.reason)}</p>}
      <dl className="counts">
        <Count
          label={t('Photos and videos')}
          value={formatShare(done.assets, found.photos + found.videos)}
        />
        <Count label={t('Albums')} value={formatShare(done.albums, found.albums)} />
        {moveIn.url !== null && (
          <Count label={t('Tags')} value={formatShare(done.tags, found.tags)} />
        )}
        <Count label={t('Copied')} value={formatBytes(moveIn.takenBytes)} />
      </dl>
      {isOver && <Result moveIn={moveIn} />}
      {failures > 0 && <Failures moveIn={moveIn} />}
      {failures + noted > 0 && <ReportLink moveIn={moveIn} />}
      {isOver ? (
        <div className="dialog-actions">
          <button className="button" onClick={onAgain}>
            {t('Move something else in')}
          </button>
          <Link className="button primary" href="/photos?order=added">
            {t('Show what was added')}
          </Link>
        </div>
      ) : (
        <Controls moveIn={moveIn} />
      )}
    </>
  );
}

const formatShare = (done: number, total: number): string =>
  t('{done} of {total}', {
    done: formatNumber(Math.min(done, total)),
    total: formatNumber(total),
  });

function describeStatus({ status, isAway }: MoveIn): string {
  if (status === 'completed') return t('The move is complete');
  if (status === 'cancelled') return t('The move was canceled');
  if (status === 'paused') return t('The move is paused');
  if (status === 'failed') return t('The move was interrupted');
  if (isAway) return t('Waiting for the other server …');
  return status === 'queued' ? t('Waiting to start …') : t('Moving in …');
}

function Controls({ moveIn }: { moveIn: MoveIn }) {
  const form = useForm(({ key }) => startMoveIn(moveIn, key?.trim()));
  const cancel = <CancelMove moveIn={moveIn} />;
  if (!isUnderWay(moveIn))
    return (
      <Form state={form} action={t('Continue')} extra={cancel}>
        {moveIn.needsKey && <KeyField error={form.fields['key']} />}
      </Form>
    );
  return (
    <>
      <p className="muted">
        {t('You can close this page: the move continues, and photos show up as they arrive.')}
      </p>
      <div className="dialog-actions">
        {cancel}
        <button className="button" onClick={() => void attempt(() => pauseMoveIn(moveIn))}>
          {t('Pause')}
        </button>
      </div>
    </>
  );
}

/** The counts of what was taken in, and what was not, with the reasons. */
function Result({ moveIn }: { moveIn: MoveIn }) {
  const { taken, duplicates, inTrash, others, noted } = moveIn;
  const lines = [
    t('{count, plural, one {# file} other {# files}} copied', { count: taken }),
    duplicates > 0 &&
      t('{count, plural, one {# file} other {# files}} in your library before', {
        count: duplicates,
      }),
    inTrash > 0 &&
      t('{count, plural, one {# file} other {# files}} left in the trash of your library', {
        count: inTrash,
      }),
    others > 0 &&
      t('{count, plural, one {# file} other {# files}} of kinds that cannot be shown here', {
        count: others,
      }),
    noted > 0 &&
      t(
        '{count, plural, one {# entry} other {# entries}} in the list of what is missing or stays behind',
        { count: noted },
      ),
  ].filter((line) => line !== false);
  return (
    <>
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <p className="muted">{describeLeftOut(moveIn)}</p>
    </>
  );
}
