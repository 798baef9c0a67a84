import { ChevronsUpDown } from 'lucide-react';
import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react';
import type { Scroller } from '../grid/scroller.ts';
import { getLabel, listMarks, getMonthTop, toScrollTop, toTrackY } from './scrubber.ts';
import type { Plan } from '../../data/timeline/sections.ts';
import { NARROW, useMediaQuery } from '../../ui/use-media-query.ts';
import styles from './scrubber.module.css';
import { t } from '../../base/i18n.ts';

type Props = {
  plan: Plan;
  scroller: Scroller;
  /** A press or a drag leads away from the photo that keys started from. */
  onDrag: () => void;
};

/** The strip of years at the right edge: shows where one is, and goes anywhere with one drag. */
export function ScrubberView({ plan, scroller, onDrag }: Props) {
  const track = useRef<HTMLDivElement>(null);
  const thumb = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState(0);
  const [isDragged, setDragged] = useState(false);
  /** Px from the top of the thumb to where it was taken. */
  const grip = useRef(0);
  const isNarrow = useMediaQuery(NARROW);

  useEffect(() => {
    const element = track.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useThumb(track, thumb, { plan, scroller, height });

  function dragTo(event: PointerEvent): void {
    const box = track.current?.getBoundingClientRect();
    if (box) scroller.scrollTo(toScrollTop(plan, height, event.clientY - box.top - grip.current));
  }

  /** The thumb goes on from where it is taken; elsewhere on the strip, it comes to the pointer. */
  function take(event: PointerEvent): void {
    const box = track.current?.getBoundingClientRect();
    const isThumb = box && thumb.current?.contains(event.target as Node);
    const thumbTop = toTrackY(plan, height, Math.max(0, scroller.top()));
    grip.current = isThumb ? event.clientY - box.top - thumbTop : 0;
    if (!isThumb) dragTo(event);
  }

  function onKey(event: KeyboardEvent): void {
    const by = KEYS[event.key];
    if (by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    scroller.scrollTo(getMonthTop(plan, scroller.top(), by));
  }

  return (
    <div
      ref={track}
      data-part="scrubber"
      className={isDragged ? `${styles.scrubber} ${styles.dragged}` : styles.scrubber}
      role="slider"
      tabIndex={0}
      aria-label={t('Date')}
      aria-orientation="vertical"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={0}
      onKeyDown={onKey}
      // A press would focus the slider: arrows are for the photos, unless somebody went to it by keys.
      onMouseDown={(event) => event.preventDefault()}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        scroller.element()?.focus({ preventScroll: true });
        setDragged(true);
        onDrag();
        take(event);
      }}
      onPointerMove={(event) => isDragged && dragTo(event)}
      onPointerUp={() => setDragged(false)}
      onPointerCancel={() => setDragged(false)}
    >
      {listMarks(plan, height).map(({ y, year, isYear }) => (
        <span
          key={`${isYear}${y}`}
          className={isYear ? styles.scrubberYear : styles.scrubberDot}
          // A moved element is a shift of the layout, a transformed one is not.
          style={{ transform: `translateY(${y}px)` }}
          aria-hidden
        >
          {isYear ? year : ''}
        </span>
      ))}
      <div ref={thumb} data-part="scrubber-thumb" className={styles.scrubberThumb} aria-hidden>
        <span data-part="scrubber-label" className={styles.scrubberLabel} />
        {isNarrow && <ChevronsUpDown size={22} />}
      </div>
    </div>
  );
}

type Shown = Pick<Props, 'plan' | 'scroller'> & { height: number };

/** Keeps the thumb and its label where the photos are. */
function useThumb(
  track: RefObject<HTMLElement | null>,
  thumb: RefObject<HTMLElement | null>,
  { plan, scroller, height }: Shown,
): void {
  // Straight into the page: it moves with every frame of scrolling.
  useEffect(() => {
    let quiet: ReturnType<typeof setTimeout> | undefined;
    const follow = () => {
      const [strip, mark] = [track.current, thumb.current];
      if (!strip || !mark) return;
      const top = Math.max(0, scroller.top());
      const label = getLabel(plan, top);
      mark.style.transform = `translateY(${toTrackY(plan, height, top)}px)`;
      if (mark.firstElementChild) mark.firstElementChild.textContent = label;
      strip.setAttribute('aria-valuetext', label);
      strip.setAttribute('aria-valuenow', String(percent(plan, top)));
      strip.dataset['moving'] = '';
      clearTimeout(quiet);
      quiet = setTimeout(() => delete strip.dataset['moving'], QUIET_MS);
    };
    follow();
    const stop = scroller.onScroll(follow);
    return () => {
      stop();
      clearTimeout(quiet);
    };
  }, [track, thumb, scroller, height, plan]);
}

/** After the last movement the handle of a phone stays so long, to be taken. */
const QUIET_MS = 1500;

const KEYS: Readonly<Record<string, number>> = {
  ArrowUp: -1,
  ArrowDown: 1,
  ArrowLeft: -1,
  ArrowRight: 1,
  PageUp: -12,
  PageDown: 12,
  Home: -100_000,
  End: 100_000,
};

const percent = (plan: Plan, top: number): number =>
  plan.height > 0 ? Math.round((top / plan.height) * 100) : 0;
