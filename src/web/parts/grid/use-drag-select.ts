import { type PointerEvent as ReactPointerEvent, useEffect, useRef } from 'react';
import { useLatest } from '../../ui/use-latest.ts';
import { type Box, findNearestPlace, listIdsInBox } from './hit.ts';
import type { Scroller } from './scroller.ts';
import type { Place, Plan } from '../../data/timeline/sections.ts';
import styles from './timeline.module.css';

const LONG_PRESS_MS = 450;
const MOVED_PX = 10;
/** So near to the upper or lower edge of the window the timeline scrolls. */
const EDGE_PX = 64;
const MOST_PX_PER_FRAME = 22;

type Options = {
  selected: ReadonlySet<string>;
  /** A long press of a finger. */
  onPress: (id: string) => void;
  /** From one picture to another one, in the order of the timeline. */
  onSpan: (anchor: string, to: Place) => void;
  /** A rectangle, and the photos that were selected before. */
  onBox: (ids: readonly string[]) => void;
};

type Point = { x: number; y: number };
type Drag = {
  /** The picture whose check or face was pressed; undefined for a rectangle from free space. */
  anchor: string | undefined;
  /** Where it began, in the timeline. */
  start: Point;
  before: ReadonlySet<string>;
  hasMoved: boolean;
};

/**
 * Selects by dragging: with the mouse from the check of a picture or from free space, with a finger after
 * a long press. Near the upper and lower edge of the window the timeline scrolls.
 */
export function useDragSelect(plan: Plan, scroller: Scroller, options: Options) {
  const latest = useLatest({ plan, ...options });
  const drag = useRef<Drag>(undefined);
  const pointer = useRef<Point>({ x: 0, y: 0 });
  const isDone = useRef(false);
  const end = useRef<() => void>(() => {});
  useEffect(() => () => end.current(), []);
  useTouchLock(scroller, drag);

  function begin(event: ReactPointerEvent, anchor: string | undefined): void {
    const at = { x: event.clientX, y: event.clientY };
    const start = toInside(scroller, at);
    pointer.current = at;
    drag.current = { anchor, start, before: latest.current.selected, hasMoved: false };
    const frame = createBand(scroller);
    let timer = requestAnimationFrame(function scroll() {
      timer = requestAnimationFrame(scroll);
      if (drag.current?.hasMoved && scrollAtEdge(scroller, pointer.current.y)) update(frame.draw);
    });
    const onMove = (move: PointerEvent) => {
      pointer.current = { x: move.clientX, y: move.clientY };
      const now = drag.current;
      if (!now) return;
      now.hasMoved ||= Math.hypot(move.clientX - at.x, move.clientY - at.y) > MOVED_PX;
      if (now.hasMoved) update(frame.draw);
    };
    end.current = () => {
      cancelAnimationFrame(timer);
      frame.remove();
      window.removeEventListener('pointermove', onMove);
      isDone.current ||= drag.current?.hasMoved === true;
      drag.current = undefined;
      end.current = () => {};
    };
    window.addEventListener('pointermove', onMove);
    const stop = () => end.current();
    window.addEventListener('pointerup', stop, { once: true });
    window.addEventListener('pointercancel', stop, { once: true });
  }

  function update(draw: (box: Box) => void): void {
    const now = drag.current;
    if (!now) return;
    const [from, to] = [now.start, toInside(scroller, pointer.current)];
    if (now.anchor !== undefined) {
      const place = findNearestPlace(latest.current.plan, to.x, to.y);
      if (place) latest.current.onSpan(now.anchor, place);
      return;
    }
    const box = toBox(from, to);
    draw(box);
    latest.current.onBox([...now.before, ...listIdsInBox(latest.current.plan, box)]);
  }

  const press = useLongPress((event, id) => {
    isDone.current = true;
    navigator.vibrate?.(15);
    latest.current.onPress(id);
    begin(event, id);
  });
  const handlers = {
    onPointerDown(event: ReactPointerEvent) {
      press.cancel();
      end.current();
      isDone.current = false;
      const element = event.target as HTMLElement;
      const id = element.closest<HTMLElement>('[data-id]')?.dataset['id'];
      if (event.pointerType === 'touch') {
        if (id && event.isPrimary) press.start(event, id);
        return;
      }
      if (event.button !== 0) return;
      const check = element.closest<HTMLElement>('[data-check]')?.dataset['check'];
      if (check) begin(event, check);
      else if (!element.closest('a, button, header, [data-day]')) begin(event, undefined);
    },
    onPointerMove: press.follow,
    onPointerUp: press.cancel,
    onPointerCancel: press.cancel,
  };
  /** Whether a drag or a long press has just ended: then the click that follows is none. */
  const wasDragged = () => {
    const was = isDone.current;
    isDone.current = false;
    return was;
  };
  return { handlers, wasDragged };
}

/** A finger that stays where it is for a while. */
function useLongPress(onPress: (event: ReactPointerEvent, id: string) => void) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const start = useRef<Point>({ x: 0, y: 0 });
  const cancel = () => clearTimeout(timer.current);
  return {
    start: (event: ReactPointerEvent, id: string) => {
      timer.current = setTimeout(() => onPress(event, id), LONG_PRESS_MS);
      start.current = { x: event.clientX, y: event.clientY };
    },
    follow: (event: ReactPointerEvent) => {
      const { x, y } = start.current;
      if (Math.hypot(event.clientX - x, event.clientY - y) > MOVED_PX) cancel();
    },
    cancel,
  };
}

/** The point of a window, in the timeline. */
function toInside(scroller: Scroller, { x, y }: Point): Point {
  const box = scroller.element()?.querySelector('[data-part=timeline-body]');
  const rect = box?.getBoundingClientRect();
  return { x: x - (rect?.left ?? 0), y: y - (rect?.top ?? 0) };
}

const toBox = (from: Point, to: Point): Box => ({
  left: Math.min(from.x, to.x),
  top: Math.min(from.y, to.y),
  right: Math.max(from.x, to.x),
  bottom: Math.max(from.y, to.y),
});

/** While a finger selects, it does not scroll. */
function useTouchLock(scroller: Scroller, drag: { current: Drag | undefined }): void {
  useEffect(() => {
    const element = scroller.element();
    const hold = (event: TouchEvent) => {
      if (drag.current && event.cancelable) event.preventDefault();
    };
    element?.addEventListener('touchmove', hold, { passive: false });
    return () => element?.removeEventListener('touchmove', hold);
  }, [scroller, drag]);
}

/** Scrolls the faster, the nearer to the edge. Returns whether it did. */
export function scrollAtEdge(scroller: Scroller, y: number): boolean {
  const rect = scroller.element()?.getBoundingClientRect();
  if (!rect) return false;
  const above = Math.max(0, rect.top + EDGE_PX - y);
  const below = Math.max(0, y - rect.bottom + EDGE_PX);
  const by = (Math.min(EDGE_PX, below) - Math.min(EDGE_PX, above)) / EDGE_PX;
  if (by === 0) return false;
  scroller.scrollTo(scroller.top() + by * MOST_PX_PER_FRAME);
  return true;
}

/** The rectangle on the page, which follows every movement without a new drawing of the rest. */
function createBand(scroller: Scroller) {
  let band: HTMLElement | undefined;
  return {
    draw: ({ left, top, right, bottom }: Box) => {
      if (!band) {
        band = document.createElement('div');
        band.className = styles.band ?? '';
        scroller.element()?.querySelector('[data-part=timeline-body]')?.append(band);
      }
      band.style.transform = `translate(${left}px, ${top}px)`;
      band.style.width = `${right - left}px`;
      band.style.height = `${bottom - top}px`;
    },
    remove: () => band?.remove(),
  };
}
