import { memo } from 'react';
import { formatMonth } from '../format.ts';
import { useStore } from '../store.ts';
import { findRow, findRowsBetween } from './layout.ts';
import type { Scroller } from './scroller.ts';
import { HEADER, type Section } from './sections.ts';
import { Tile } from './tile.tsx';
import styles from './timeline.module.css';
import { t } from '../i18n.ts';

type Props = {
  section: Section;
  scroller: Scroller;
  chosen: ReadonlySet<string>;
  /** The picture that the tab key leads to. */
  tabStop: string | undefined;
  toHref: (id: string) => string;
};

/** One month: its name and the rows that are near the window. */
export const SectionView = memo(function SectionView(props: Props) {
  const { section, chosen } = props;
  const { month, top, height } = section;
  const name = formatMonth(month.key);
  const ids = month.columns?.id;
  const isAllChosen = chosen.size > 0 && ids?.every((id) => chosen.has(id)) === true;
  return (
    <section
      data-part="month"
      className={styles.month}
      // Not by a transform: the name of the month would not stick to the window's top.
      style={{ top, height }}
      aria-label={`${name}, ${t('{count, plural, one {# item} other {# items}}', { count: month.count })}`}
    >
      <header className={styles.monthHead}>
        <h2>{name}</h2>
        <span data-part="month-count" className={styles.monthCount}>
          {t('{count, plural, one {# item} other {# items}}', { count: month.count })}
        </span>
        {ids && (
          <button
            className={styles.monthCheck}
            data-month={month.key}
            role="checkbox"
            aria-checked={isAllChosen}
            aria-label={t('Select all of {name}', { name })}
          />
        )}
      </header>
      {section.rows ? <Tiles {...props} /> : <Waiting height={height - HEADER} />}
    </section>
  );
});

const Waiting = ({ height }: { height: number }) => (
  <div className={styles.monthWaiting} style={{ height }} aria-busy="true" />
);

/** The rows of one section that are near the window; the focused picture always. */
export function Tiles({ section, scroller, chosen, tabStop, toHref }: Props) {
  const rows = section.rows!;
  const columns = section.month.columns!;
  const inside = section.top + HEADER;
  // A text, so that scrolling redraws only when the rows in sight are others.
  const range = useStore(scroller.view, ({ from, to }) =>
    findRowsBetween(rows, from - inside, to - inside).join(':'),
  );
  const [start, end] = range.split(':').map(Number) as [number, number];
  const items: number[] = [];
  for (let item = rows.first[start] ?? 0; item < (rows.first[end] ?? 0); item++) items.push(item);
  // The focused picture stays in the page, also out of sight, or the focus would be lost.
  const focused = tabStop === undefined ? -1 : columns.id.indexOf(tabStop);
  if (focused >= 0 && !items.includes(focused)) items.push(focused);
  return items.map((item) => {
    const row = findRow(rows, item);
    const id = columns.id[item]!;
    return (
      <Tile
        key={id}
        columns={columns}
        item={item}
        href={toHref(id)}
        left={rows.left[item]!}
        top={HEADER + rows.top[row]!}
        width={rows.width[item]!}
        height={rows.height[row]!}
        isChosen={chosen.has(id)}
        isTabStop={id === tabStop}
        isFast={scroller.isFast}
      />
    );
  });
}
