import type { PointerEvent as ReactPointerEvent } from 'react';
import type { Scroller } from '../timeline/scroller.ts';
import { scrollAtEdge } from '../timeline/use-drag-select.ts';
import { createMarker } from './marker.ts';
import type { Point, Spot } from './spot.ts';

const LONG_PRESS_MS = 400;
const MOVED_PX = 10;

type Options = {
  readonly scroller: Scroller;
  /** The number of pictures that are moved. */
  readonly count: number;
  readonly find: (at: Point) => Spot | undefined;
  /** A finger has been held still: from now on it moves pictures. */
  readonly onHold: () => void;
  /** `spot`: where they are put down; undefined: nowhere. */
  readonly onEnd: (how: { isPress: boolean; hasMoved: boolean; spot: Spot | undefined }) => void;
};

/** Follows a pointer until it is lifted, or Escape is pressed. Returns what ends it. */
export function startDrag(event: ReactPointerEvent, options: Options): () => void {
  const { scroller, count, find, onHold, onEnd } = options;
  const isTouch = event.pointerType === 'touch';
  const start: Point = { x: event.clientX, y: event.clientY };
  const marker = createMarker(scroller, count);
  const ended = new AbortController();
  let [at, spot]: [Point, Spot | undefined] = [start, undefined];
  let [isHeld, hasMoved, frame] = [!isTouch, false, 0];
  const timer = setTimeout(() => {
    if (!isTouch) return;
    isHeld = true;
    navigator.vibrate?.(15);
    marker.draw(undefined, at);
    onHold();
  }, LONG_PRESS_MS);

  function draw(): void {
    spot = find(at);
    marker.draw(spot, at);
  }
  function scroll(): void {
    frame = requestAnimationFrame(scroll);
    if (scrollAtEdge(scroller, at.y)) draw();
  }
  function stop(): void {
    ended.abort();
    clearTimeout(timer);
    cancelAnimationFrame(frame);
    marker.remove();
  }
  function end(to: Spot | undefined): void {
    stop();
    onEnd({ isPress: isTouch && isHeld && !hasMoved, hasMoved, spot: to });
  }
  function onMove({ clientX, clientY }: PointerEvent): void {
    at = { x: clientX, y: clientY };
    const isFar = Math.hypot(at.x - start.x, at.y - start.y) > MOVED_PX;
    // Before it is held, a finger that moves scrolls.
    if (!isHeld) return isFar ? end(undefined) : undefined;
    if (isFar && !hasMoved) [hasMoved, frame] = [true, requestAnimationFrame(scroll)];
    if (hasMoved) draw();
  }
  function onKeyDown(pressed: KeyboardEvent): void {
    if (pressed.key !== 'Escape' || !hasMoved) return;
    pressed.stopPropagation();
    end(undefined);
  }
  const { signal } = ended;
  window.addEventListener('pointermove', onMove, { signal });
  window.addEventListener('pointerup', () => end(hasMoved ? spot : undefined), { signal });
  window.addEventListener('pointercancel', stop, { signal });
  window.addEventListener('keydown', onKeyDown, { signal, capture: true });
  return stop;
}
