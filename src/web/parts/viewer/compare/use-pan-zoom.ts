import { type PointerEvent, type RefCallback, useCallback, useRef, useState } from 'react';
import { FIT, panBy, type PanZoom, type Point, zoomAt } from './pan-zoom.ts';

const WHEEL_SPEED = 0.0015;
const DOUBLE_FACTOR = 4;
const KEY_FACTOR = 1.5;
const KEY_STEP = 0.1;

type Gestures = {
  /** The wheel listener must be able to keep the page from scrolling, which React's cannot. */
  ref: RefCallback<HTMLElement>;
  onPointerDown: (event: PointerEvent<HTMLElement>) => void;
  onPointerMove: (event: PointerEvent<HTMLElement>) => void;
  onPointerUp: (event: PointerEvent<HTMLElement>) => void;
  onPointerCancel: (event: PointerEvent<HTMLElement>) => void;
  onDoubleClick: (event: { clientX: number; clientY: number; currentTarget: HTMLElement }) => void;
};

/** A view that is moved by a pointer, two fingers, the wheel and keys on any pane that has the gestures. */
export function usePanZoom(): {
  view: PanZoom;
  gestures: Gestures;
  onKey: (key: string) => boolean;
} {
  const [view, setView] = useState(FIT);
  const pointers = useRef(new Map<number, Point>());

  const ref = useCallback((element: HTMLElement | null) => {
    if (!element) return;
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const factor = Math.exp(-event.deltaY * WHEEL_SPEED);
      setView((old) => zoomAt(old, factor, locate(element, event)));
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, []);
  const end = (event: PointerEvent) => void pointers.current.delete(event.pointerId);
  const gestures: Gestures = {
    ref,
    onPointerDown: (event) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      pointers.current.set(event.pointerId, locate(event.currentTarget, event));
    },
    onPointerMove: (event) => {
      const from = pointers.current.get(event.pointerId);
      if (!from) return;
      const to = locate(event.currentTarget, event);
      const [other] = [...pointers.current].filter(([id]) => id !== event.pointerId);
      pointers.current.set(event.pointerId, to);
      if (!other) return setView((old) => panBy(old, to.x - from.x, to.y - from.y));
      const [, still] = other;
      const factor = getDistance(to, still) / Math.max(0.01, getDistance(from, still));
      setView((old) => zoomAt(old, factor, still));
    },
    onPointerUp: end,
    onPointerCancel: end,
    onDoubleClick: (event) => {
      const point = locate(event.currentTarget, event);
      setView((old) => (old.scale > 1 ? FIT : zoomAt(old, DOUBLE_FACTOR, point)));
    },
  };
  const onKey = (key: string): boolean => {
    const change = KEYS[key];
    if (change) setView(change);
    return change !== undefined;
  };
  return { view, gestures, onKey };
}

const MIDDLE = { x: 0, y: 0 };
const KEYS: Readonly<Record<string, (view: PanZoom) => PanZoom>> = {
  '+': (view) => zoomAt(view, KEY_FACTOR, MIDDLE),
  '-': (view) => zoomAt(view, 1 / KEY_FACTOR, MIDDLE),
  0: () => FIT,
  ArrowLeft: (view) => panBy(view, KEY_STEP, 0),
  ArrowRight: (view) => panBy(view, -KEY_STEP, 0),
  ArrowUp: (view) => panBy(view, 0, KEY_STEP),
  ArrowDown: (view) => panBy(view, 0, -KEY_STEP),
};

function locate(
  element: Element,
  { clientX, clientY }: { clientX: number; clientY: number },
): Point {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { x: (clientX - left) / width - 0.5, y: (clientY - top) / height - 0.5 };
}

const getDistance = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y);
