import { type KeyboardEvent, type PointerEvent, useMemo, useState } from 'react';
import { requireValue } from '../../../core/required.ts';
import { formatDay, formatMonth } from '../../base/format.ts';
import { type Bar, barAt, toBars } from './bars.ts';
import { type Chip, toDaysChip, type Histogram } from '../../data/search/query.ts';
import styles from '../../parts/results/search.module.css';
import { t } from '../../base/i18n.ts';

type Props = { histogram: Histogram; onChoose: (chip: Chip) => void };
type Span = { from: number; to: number };

/** Counts of pictures over time. Dragging selects a period and narrows the search to it. */
export function HistogramView({ histogram, onChoose }: Props) {
  const bars = useMemo(() => toBars(histogram), [histogram]);
  // A selection is about the bars that it was made on.
  const [selection, setSelection] = useState<{ bars: readonly Bar[]; span: Span | undefined }>();
  const span = selection?.bars === bars ? selection.span : undefined;
  const setSpan = (next: Span | undefined) => setSelection({ bars, span: next });
  const [isDragging, setDragging] = useState(false);
  const [first, last] = [bars[0], bars.at(-1)];
  if (!first || !last || first === last) return null;
  const highest = Math.max(...bars.map(({ count }) => count));
  const [low, high] = span ? sortSpan(span) : [-1, -1];

  const apply = (now: Span) => {
    const ends = getEnds(bars, now);
    onChoose(toDaysChip(ends.first.from, ends.last.to));
  };
  const at = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    return barAt(bars, (event.clientX - box.left) / box.width);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by) {
      const to = Math.max(
        0,
        Math.min(bars.length - 1, (span?.to ?? (by > 0 ? -1 : bars.length)) + by),
      );
      setSpan({ from: event.shiftKey && span ? span.from : to, to });
    } else if (event.key === 'Enter' && span) apply(span);
    else if (event.key === 'Escape' && span) setSpan(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div className={styles.histogram}>
      <div
        className={styles.bars}
        role="slider"
        tabIndex={0}
        aria-label={t('Pictures over time: drag, or use the arrow keys and Enter, to narrow')}
        aria-valuemin={0}
        aria-valuemax={bars.length - 1}
        aria-valuenow={Math.max(0, high)}
        aria-valuetext={span ? describeRange(bars, span) : t('Everything')}
        onKeyDown={onKeyDown}
        onBlur={() => setSpan(undefined)}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDragging(true);
          setSpan({ from: at(event), to: at(event) });
        }}
        onPointerMove={(event) => {
          const to = at(event);
          if (isDragging) setSpan({ from: span?.from ?? to, to });
          else if (event.pointerType === 'mouse') setSpan({ from: to, to });
        }}
        onPointerLeave={() => {
          if (!isDragging) setSpan(undefined);
        }}
        onPointerUp={() => {
          setDragging(false);
          if (isDragging && span) apply(span);
        }}
        onPointerCancel={() => {
          setDragging(false);
          setSpan(undefined);
        }}
      >
        {bars.map(({ from, count }, index) => (
          <span
            key={from}
            className={index >= low && index <= high ? `${styles.bar} ${styles.on}` : styles.bar}
            style={{ height: count === 0 ? 1 : `${Math.max(6, (count / highest) * 100)}%` }}
          />
        ))}
      </div>
      <p className={styles.barsEnds} aria-hidden>
        {span ? (
          <b>{describeRange(bars, span)}</b>
        ) : (
          <>
            <span>{formatBar(first)}</span>
            <span>{formatBar(last)}</span>
          </>
        )}
      </p>
    </div>
  );
}

const sortSpan = ({ from, to }: Span): [number, number] => [Math.min(from, to), Math.max(from, to)];

/** Returns the bars that a span begins and ends with. */
function getEnds(bars: readonly Bar[], span: Span): { first: Bar; last: Bar } {
  const [low, high] = sortSpan(span);
  return { first: requireValue(bars[low], 'bar'), last: requireValue(bars[high], 'bar') };
}

function describeRange(bars: readonly Bar[], span: Span): string {
  const [low, high] = sortSpan(span);
  const { first, last } = getEnds(bars, span);
  const count = bars.slice(low, high + 1).reduce((sum, bar) => sum + bar.count, 0);
  const when = low === high ? formatBar(first) : `${formatBar(first)} – ${formatBar(last)}`;
  return `${when} · ${t('{count, plural, one {# item} other {# items}}', { count })}`;
}

function formatBar({ from, to }: Bar): string {
  if (from === to) return formatDay(new Date(from));
  return from.endsWith('-01-01') && to.endsWith('-12-31')
    ? from.slice(0, 4)
    : formatMonth(from, 'short');
}
