import { useEffect } from 'react';
import { grouping, setGrouping, stepGrouping } from './grouping.ts';
import type { Scroller } from '../grid/scroller.ts';

/** Pixels that the wheel turns for one step. */
const WHEEL_STEP = 60;
/** A pinch on a track pad is many turns of the wheel. */
const REST_MS = 250;
const PINCH_RATIO = 1.35;

const step = (by: number): void => setGrouping(stepGrouping(grouping.get(), by));

/** Ctrl and the wheel, or two fingers, lead to larger and smaller groups. */
export function useZoom(scroller: Scroller): void {
  useEffect(() => {
    const element = scroller.element();
    if (!element) return;
    let [turned, lastStep, distance] = [0, 0, 0];
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      if (event.timeStamp - lastStep < REST_MS) return;
      turned += event.deltaY;
      if (Math.abs(turned) < WHEEL_STEP) return;
      step(Math.sign(turned));
      [turned, lastStep] = [0, event.timeStamp];
    };
    const onTouchMove = (event: TouchEvent) => {
      const [a, b] = event.touches;
      if (!a || !b) return void (distance = 0);
      if (event.cancelable) event.preventDefault();
      const now = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
      if (distance === 0) distance = now;
      const ratio = now / distance;
      if (ratio < PINCH_RATIO && ratio > 1 / PINCH_RATIO) return;
      step(ratio > 1 ? -1 : 1);
      distance = now;
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    element.addEventListener('touchmove', onTouchMove, { passive: false });
    return () => {
      element.removeEventListener('wheel', onWheel);
      element.removeEventListener('touchmove', onTouchMove);
    };
  }, [scroller]);
}
