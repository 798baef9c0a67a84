import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
} from 'react';
import { panView, clampView, type Size, type View, zoomViewAt } from '../../data/map/projection.ts';

type Options = {
  frame: RefObject<HTMLElement | null>;
  size: Size;
  view: View | undefined;
  setView: (view: View) => void;
};

const STEP = 110;
/** A finger that moves less than this has pressed. */
const STILL = 5;
const TWEEN_MS = 220;

type Finger = { left: number; top: number };

/** Drag, wheel, pinch, double click and keys, as on any map. */
export function useGestures(options: Options) {
  const { frame } = options;
  const { latest, show, fly, zoomAt } = useCamera(options);
  const fingers = useRef(new Map<number, Finger>());
  const isDragging = useRef(false);

  const toPoint = (event: { clientX: number; clientY: number }): Finger => {
    const box = frame.current?.getBoundingClientRect();
    return { left: event.clientX - (box?.left ?? 0), top: event.clientY - (box?.top ?? 0) };
  };

  const onWheel = useEffectEvent((event: WheelEvent) => {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 30 : 1;
    const strength = event.ctrlKey ? 0.01 : 0.0022;
    const by = Math.max(-1, Math.min(1, -event.deltaY * lines * strength));
    zoomAt(by, toPoint(event));
  });
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    // Not by React: the page would scroll, or zoom as a whole.
    const listen = (event: WheelEvent) => onWheel(event);
    element.addEventListener('wheel', listen, { passive: false });
    return () => element.removeEventListener('wheel', listen);
  }, [frame]);

  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    if (fingers.current.size === 0) isDragging.current = false;
    fingers.current.set(event.pointerId, toPoint(event));
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const before = fingers.current.get(event.pointerId);
    const { view, size } = latest.current;
    if (!before || !view) return;
    const now = toPoint(event);
    const [left, top] = [now.left - before.left, now.top - before.top];
    if (!isDragging.current) {
      if (Math.hypot(left, top) < STILL) return;
      isDragging.current = true;
      for (const id of fingers.current.keys()) event.currentTarget.setPointerCapture(id);
    }
    const other = [...fingers.current].find(([id]) => id !== event.pointerId)?.[1];
    fingers.current.set(event.pointerId, now);
    if (!other) return show(panView(view, left, top));
    const [old, wide] = [before, now].map(
      (finger) => Math.hypot(finger.left - other.left, finger.top - other.top) || 1,
    ) as [number, number];
    const middle = { left: (now.left + other.left) / 2, top: (now.top + other.top) / 2 };
    const moved = panView(view, left / 2, top / 2);
    const [across, down] = [middle.left - size.width / 2, middle.top - size.height / 2];
    show(zoomViewAt(moved, Math.log2(wide / old), across, down, size));
  };
  const onPointerEnd = (event: PointerEvent<HTMLElement>) => {
    fingers.current.delete(event.pointerId);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { view } = latest.current;
    if (!view || event.ctrlKey || event.metaKey || event.altKey) return;
    const move = MOVES[event.key];
    if (move) fly(panView(view, move[0] * STEP, move[1] * STEP));
    else if (event.key === '+' || event.key === '=') zoomAt(1, undefined, true);
    else if (event.key === '-') zoomAt(-1, undefined, true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return {
    fly,
    zoomBy: (by: number) => zoomAt(by, undefined, true),
    handlers: {
      onPointerDown,
      onPointerMove,
      onPointerUp: onPointerEnd,
      onPointerCancel: onPointerEnd,
      onKeyDown,
      onDoubleClick: (event: { clientX: number; clientY: number; target: EventTarget }) => {
        if (!(event.target as HTMLElement).closest('button, a')) zoomAt(1, toPoint(event), true);
      },
      /** After a drag, the button under the pointer was not pressed. */
      onClickCapture: (event: { stopPropagation: () => void; preventDefault: () => void }) => {
        if (!isDragging.current) return;
        isDragging.current = false;
        event.stopPropagation();
        event.preventDefault();
      },
    },
  };
}

/** Moves the view, at once or in a moment. */
function useCamera(options: Options) {
  const latest = useRef(options);
  useLayoutEffect(() => {
    latest.current = options;
  });
  const tween = useRef(0);

  const show = (view: View) => {
    cancelAnimationFrame(tween.current);
    const now = latest.current;
    const next = clampView(view, now.size);
    // Two fingers move before the page is drawn again: the second goes on from the first.
    latest.current = { ...now, view: next };
    now.setView(next);
  };

  /** Goes there in a moment; at once where movement is not wanted. */
  const fly = (target: View) => {
    const { view: from, size, setView } = latest.current;
    cancelAnimationFrame(tween.current);
    const to = clampView(target, size);
    if (!from || matchMedia('(prefers-reduced-motion: reduce)').matches) return setView(to);
    const start = performance.now();
    const across = to.x - from.x - Math.round(to.x - from.x);
    const step = (now: number) => {
      const part = Math.min(1, (now - start) / TWEEN_MS);
      const eased = 1 - (1 - part) ** 3;
      setView({
        x: from.x + across * eased,
        y: from.y + (to.y - from.y) * eased,
        zoom: from.zoom + (to.zoom - from.zoom) * eased,
      });
      if (part < 1) tween.current = requestAnimationFrame(step);
      else setView(to);
    };
    tween.current = requestAnimationFrame(step);
  };
  useEffect(() => () => cancelAnimationFrame(tween.current), []);

  const zoomAt = (by: number, point?: Finger, isSmooth = false) => {
    const { view, size } = latest.current;
    if (!view) return;
    const left = point ? point.left - size.width / 2 : 0;
    const top = point ? point.top - size.height / 2 : 0;
    const next = zoomViewAt(view, by, left, top, size);
    if (isSmooth) fly(next);
    else show(next);
  };
  return { latest, show, fly, zoomAt };
}

const MOVES: Record<string, readonly [number, number]> = {
  ArrowLeft: [1, 0],
  ArrowRight: [-1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};
