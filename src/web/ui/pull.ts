// Pulling the content of a page down with a finger. All listeners are passive: scrolling never waits for them, and
// where the content is at its top, there is nothing to scroll.

export type Point = { readonly x: number; readonly y: number };

/** A finger that has moved less, in px, has no direction yet. */
const SLOP_PX = 10;
/** The vertical part of a pull is at least this many times the horizontal one. */
const STEEPNESS = 1.5;
/** The content follows the finger at this ratio. */
const RATIO = 0.5;
/** The distance in px from which letting go refreshes. */
const ARMED_PX = 56;
const MOST_PX = 84;

/** Elements that scroll a whole page. */
const SCROLLERS = '.page, .timeline-scroll';

/** Returns whether a finger goes straight down; undefined while it has not moved far enough to tell. */
export function isDownwards(from: Point, to: Point): boolean | undefined {
  const [x, y] = [to.x - from.x, to.y - from.y];
  if (Math.hypot(x, y) < SLOP_PX) return undefined;
  return y >= STEEPNESS * Math.abs(x);
}

/** Returns how far the content is pulled, in px, when the finger has moved down by `travel` px. */
export const toDistance = (travel: number): number =>
  Math.min(MOST_PX, Math.max(0, (travel - SLOP_PX) * RATIO));

export const isArmed = (distance: number): boolean => distance >= ARMED_PX;

type Listeners = {
  canBegin: () => boolean;
  /** Called with the distance in px: 0 when the pull has ended without effect. */
  onPull: (distance: number) => void;
  onRefresh: () => void;
};

type Gesture = { from: Point; target: Element; scroller: Element; distance: number | undefined };

/** Follows the pulls within an element. Returns the function that ends it. */
export function followPulls(area: HTMLElement, listeners: Listeners): () => void {
  let touch: Gesture | undefined;

  function cancel(): void {
    if (touch?.distance !== undefined) listeners.onPull(0);
    touch = undefined;
  }

  function onStart(event: TouchEvent): void {
    cancel();
    const [finger] = event.touches;
    if (!finger || event.touches.length > 1 || !listeners.canBegin()) return;
    const target = event.target as Element;
    const scroller = target.closest(SCROLLERS);
    if (!scroller || scroller.scrollTop > 0 || target.closest('dialog')) return;
    touch = { from: toPoint(finger), target, scroller, distance: undefined };
  }

  function onMove(event: TouchEvent): void {
    const [finger] = event.touches;
    if (!touch || !finger) return;
    // A gesture that holds the touch, such as a selection by dragging, has prevented its default.
    if (event.defaultPrevented || touch.scroller.scrollTop > 0) return cancel();
    const to = toPoint(finger);
    if (touch.distance === undefined) {
      const isBegun = isDownwards(touch.from, to);
      if (isBegun === undefined) return;
      if (!isBegun || isTaken(touch)) return cancel();
    }
    touch.distance = toDistance(to.y - touch.from.y);
    listeners.onPull(touch.distance);
  }

  function onEnd(): void {
    const distance = touch?.distance ?? 0;
    if (!isArmed(distance)) return cancel();
    touch = undefined;
    listeners.onRefresh();
  }

  const passive = { passive: true };
  area.addEventListener('touchstart', onStart, passive);
  area.addEventListener('touchmove', onMove, passive);
  area.addEventListener('touchend', onEnd, passive);
  area.addEventListener('touchcancel', cancel, passive);
  return () => {
    cancel();
    area.removeEventListener('touchstart', onStart);
    area.removeEventListener('touchmove', onMove);
    area.removeEventListener('touchend', onEnd);
    area.removeEventListener('touchcancel', cancel);
  };
}

const toPoint = ({ clientX, clientY }: Touch): Point => ({ x: clientX, y: clientY });

/** Whether an element below the page's own has the touch: a control that is dragged, or a list that can scroll up. */
function isTaken({ target, scroller }: Gesture): boolean {
  for (let at = target; at !== scroller && at.parentElement; at = at.parentElement) {
    if (at.scrollTop > 0 || getComputedStyle(at).touchAction === 'none') return true;
  }
  return false;
}
