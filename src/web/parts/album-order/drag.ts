import type { PointerEvent as ReactPointerEvent } from 'react';
import type { Scroller } from '../grid/scroller.ts';
import { scrollAtEdge } from '../grid/use-drag-select.ts';
import type { Point, Spot } from './spot.ts';
import tagStyles from '../tags/tags.module.css';
import timelineStyles from '../grid/timeline.module.css';
import { t } from '../../base/i18n.ts';

const LINE_PX = 4;

/** The line between two pictures and the label at the pointer, which follow it without a new drawing of the rest. */
function createMarker(scroller: Scroller, count: number) {
  let elements: { line: HTMLElement; label: HTMLElement } | undefined;
  function create() {
    const [line, label] = [document.createElement('div'), document.createElement('div')];
    line.className = timelineStyles.band ?? '';
    line.style.width = `${LINE_PX}px`;
    label.className = tagStyles.dragLabel ?? '';
    Object.assign(label.style, { inset: '0 auto auto 0', zIndex: '50', pointerEvents: 'none' });
    label.textContent = t('{count, plural, one {# item} other {# items}}', { count });
    scroller.element()?.querySelector('[data-part=timeline-body]')?.append(line);
    document.body.append(label);
    return { line, label };
  }
  return {
    draw(spot: Spot | undefined, at: Point) {
      elements ??= create();
      const { line, label } = elements;
      label.style.transform = `translate(${at.x + 12}px, ${at.y + 12}px)`;
      line.hidden = spot === undefined;
      if (!spot) return;
      line.style.transform = `translate(${spot.left - LINE_PX / 2}px, ${spot.top}px)`;
      line.style.height = `${spot.height}px`;
    },
    remove() {
      elements?.line.remove();
      elements?.label.remove();
    },
  };
}

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
