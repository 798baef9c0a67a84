import { useEffect, useEffectEvent, useRef } from 'react';

type Clock = {
  durationMs: number;
  isRunning: boolean;
  /** The time begins anew with another one. */
  turn: number;
  /** Called for each frame with the elapsed part, from 0 to 1. */
  onProgress: (part: number) => void;
  onEnd: () => void;
};

/** Measures how long an item has been shown, without the time in which the page was in the background. */
export function useClock({ durationMs, isRunning, turn, onProgress, onEnd }: Clock): void {
  const elapsedMs = useRef(0);
  const report = useEffectEvent(onProgress);
  const end = useEffectEvent(onEnd);
  useEffect(() => {
    elapsedMs.current = 0;
    report(0);
  }, [turn]);
  useEffect(() => {
    if (!isRunning) return;
    let last = performance.now();
    let frame = requestAnimationFrame(function step(now) {
      elapsedMs.current += Math.max(0, now - last);
      last = now;
      report(Math.min(1, elapsedMs.current / durationMs));
      if (elapsedMs.current >= durationMs) end();
      else frame = requestAnimationFrame(step);
    });
    return () => cancelAnimationFrame(frame);
  }, [isRunning, durationMs, turn]);
}
