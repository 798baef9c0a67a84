import { Fragment, memo, useMemo } from 'react';
import { requireValue } from '../../../core/required.ts';
import { formatDayOfMonth, formatMonth } from '../../base/format.ts';
import { useStore } from '../../base/store.ts';
import { type Days, toDate } from '../../data/timeline/days.ts';
import {
  findLastAtOrBefore,
  findRowsBetween,
  getPlacement,
  type Rows,
} from '../../data/timeline/layout.ts';
import { usePeopleNames } from './people-names.ts';
import type { Scroller } from './scroller.ts';
import { getYear, HEADER, type Section } from '../../data/timeline/sections.ts';
import { Tile } from './tile.tsx';
import styles from './timeline.module.css';
import { t } from '../../base/i18n.ts';
import { useQuery } from '@tanstack/react-query';
import { isGuest } from '../../base/api.ts';
import { useMyId } from '../../data/session/session.ts';
import { partnersQuery } from '../../data/settings/queries.ts';
import type { MonthColumns, Partner } from '../../data/types.ts';

const NONE: ReadonlyMap<string, string> = new Map();

const toNames = (partners: readonly Partner[]): ReadonlyMap<string, string> =>
  new Map(partners.map(({ id, name }) => [id, name]));

/** Returns the names of the account's partners by id, once the month has photos of others. */
function usePartnerNames({ ownerId }: MonthColumns): ReadonlyMap<string, string> {
  const me = useMyId();
  const hasOthers = useMemo(() => ownerId.some((id) => id !== me), [ownerId, me]);
  const query = partnersQuery('shared-with');
  const { data } = useQuery({ ...query, enabled: hasOthers && !isGuest(), select: toNames });
  return data ?? NONE;
}

type Props = {
  section: Section;
  scroller: Scroller;
  chosen: ReadonlySet<string>;
  /** The picture that the tab key leads to. */
  tabStop: string | undefined;
  toHref: (id: string) => string;
  /** Until this place, in px, a month that is not loaded covers those below it. */
  waitsTo?: number | undefined;
  /** Names a day, where no name of a month stands above it. */
  formatDate?: ((day: Date) => string) | undefined;
};

/** Shows a month: its name, its days, and the rows that are near the window. */
export const SectionView = memo(function SectionView(props: Props) {
  const { section, chosen, waitsTo } = props;
  const { month, left, top, width, height, yearCount } = section;
  const name = formatMonth(month.key);
  const ids = month.columns?.id;
  const isAllChosen = chosen.size > 0 && ids?.every((id) => chosen.has(id)) === true;
  const waiting = Math.max(height, (waitsTo ?? 0) - top) - section.head;
  return (
    <section
      data-part="month"
      className={styles.month}
      // Not by a transform: the name of the month would not stick to the window's top.
      style={{ left, top, width, height }}
      aria-label={`${name}, ${t('{count, plural, one {# item} other {# items}}', { count: month.count })}`}
    >
      {yearCount !== undefined && (
        <header className={styles.yearHead}>
          <h2>{getYear(month)}</h2>
          <Count of={yearCount} />
        </header>
      )}
      <header
        className={
          section.head === HEADER ? styles.monthHead : `${styles.monthHead} ${styles.small}`
        }
      >
        <h2>{name}</h2>
        <Count of={month.count} />
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
      {section.rows ? <Tiles {...props} /> : <Waiting height={waiting} />}
    </section>
  );
});

const Count = ({ of }: { of: number }) => (
  <span data-part="month-count" className={styles.monthCount}>
    {t('{count, plural, one {# item} other {# items}}', { count: of })}
  </span>
);

const Waiting = ({ height }: { height: number }) => (
  <div className={styles.monthWaiting} style={{ height }} aria-busy="true" />
);

type DayHeadProps = {
  days: Days;
  day: number;
  section: Section;
  chosen: ReadonlySet<string>;
  formatDate: (day: Date) => string;
};

/** The name of a day above its first row; a click anywhere on it selects the day. */
function DayHead({ days, day, section, chosen, formatDate }: DayHeadProps) {
  const head = section.rows?.heads[day];
  const ids = section.month.columns?.id.slice(days.starts[day], days.starts[day + 1]) ?? [];
  const isChosen = chosen.size > 0 && ids.every((id) => chosen.has(id));
  const place = days.places[day];
  const date = formatDate(toDate(requireValue(days.numbers[day], 'number of the day')));
  const name = place === undefined ? date : `${date} · ${place}`;
  const key = `${section.month.key} ${day}`;
  return (
    <div
      data-part="day"
      className={styles.dayHead}
      style={{ left: head?.left, top: section.head + (head?.top ?? 0), width: head?.width }}
      data-day={key}
    >
      <h3 title={name}>{name}</h3>
      <button
        className={styles.monthCheck}
        data-day={key}
        role="checkbox"
        aria-checked={isChosen}
        aria-label={t('Select all of {name}', { name })}
      />
    </div>
  );
}

/** The headings of the days that begin in these rows. */
function listDaysBetween(days: Days, rows: Rows, start: number, end: number): number[] {
  const [from, to] = [rows.first[start] ?? 0, rows.first[end] ?? 0];
  const list: number[] = [];
  for (let day = findLastAtOrBefore(days.starts, from); day < days.numbers.length; day++) {
    const first = days.starts[day];
    if (first === undefined || first >= to) break;
    if (first >= from) list.push(day);
  }
  return list;
}

/** The rows of one section that are near the window; the focused picture always. */
export function Tiles(props: Props) {
  const { section, scroller, chosen, tabStop, toHref, formatDate = formatDayOfMonth } = props;
  const rows = requireValue(section.rows, 'rows of the month');
  const columns = requireValue(section.month.columns, 'photos of the month');
  const partners = usePartnerNames(columns);
  const inside = section.top + section.head;
  // A text, so that scrolling redraws only when the rows in sight are others.
  const range = useStore(scroller.view, ({ from, to }) =>
    findRowsBetween(rows, from - inside, to - inside).join(':'),
  );
  const [start, end] = range.split(':').map(Number) as [number, number];
  const [from, to] = [rows.first[start] ?? 0, rows.first[end] ?? 0];
  const people = usePeopleNames(columns, from, to, scroller);
  const items: number[] = [];
  for (let item = from; item < to; item++) items.push(item);
  // The focused picture stays in the page, also out of sight, or the focus would be lost.
  const focused = tabStop === undefined ? -1 : columns.id.indexOf(tabStop);
  if (focused >= 0 && !items.includes(focused)) items.push(focused);
  const { days } = section;
  const heads = new Set(days && listDaysBetween(days, rows, start, end));
  return items.map((item) => {
    const id = requireValue(columns.id[item], 'id of the photo');
    const { left, top, width, height } = getPlacement(rows, item);
    const day = days ? findLastAtOrBefore(days.starts, item) : -1;
    const tile = (
      <Tile
        key={id}
        id={id}
        columns={columns}
        item={item}
        people={people.get(id)}
        partner={partners.get(columns.ownerId[item] ?? '')}
        href={toHref(id)}
        left={left}
        top={section.head + top}
        width={width}
        height={height}
        isChosen={chosen.has(id)}
        isTabStop={id === tabStop}
        speed={scroller.speed}
      />
    );
    if (!days || !heads.has(day) || days.starts[day] !== item) return tile;
    return (
      <Fragment key={id}>
        <DayHead days={days} day={day} section={section} chosen={chosen} formatDate={formatDate} />
        {tile}
      </Fragment>
    );
  });
}
