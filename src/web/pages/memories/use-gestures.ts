import { type PointerEvent, useEffect, useRef } from 'react';
import { useLatest } from '../../ui/use-latest.ts';
import { type PlayerEvent, readGesture } from './player-state.ts';

const HOLD_MS = 250;

type Press = { x: number; y: number; timer: ReturnType<typeof setTimeout>; isLong: boolean };

/** Taps, swipes and holding, with a finger or the mouse. */
export function useGestures(act: (event: PlayerEvent | 'close') => void) {
  const press = useRef<Press>(undefined);
  const latest = useLatest(act);
  useEffect(() => () => clearTimeout(press.current?.timer), []);
  const end = (): Press | undefined => {
    const ended = press.current;
    press.current = undefined;
    clearTimeout(ended?.timer);
    if (ended?.isLong) latest.current('release');
    return ended;
  };
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0 || !event.isPrimary) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      const timer = setTimeout(() => {
        if (press.current) press.current.isLong = true;
        latest.current('hold');
      }, HOLD_MS);
      press.current = { x: event.clientX, y: event.clientY, timer, isLong: false };
    },
    onPointerUp: (event: PointerEvent) => {
      const began = end();
      if (!began) return;
      const wanted = readGesture({
        dx: event.clientX - began.x,
        dy: event.clientY - began.y,
        isLong: began.isLong,
        at: began.x / window.innerWidth,
      });
      if (wanted) latest.current(wanted);
    },
    onPointerCancel: () => void end(),
    onContextMenu: (event: { preventDefault: () => void }) => event.preventDefault(),
  };
}
