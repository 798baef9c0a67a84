import { useEffect } from 'react';

/** Keeps the screen on while `isOn`, where the browser can. A hidden window loses the lock. */
export function useWakeLock(isOn: boolean): void {
  useEffect(() => {
    if (!isOn || !('wakeLock' in navigator)) return;
    let sentinel: WakeLockSentinel | undefined;
    let isOver = false;
    const acquire = async () => {
      if (document.visibilityState !== 'visible') return;
      // Refused when the battery is low: then the screen goes dark as usual.
      const lock = await navigator.wakeLock.request('screen').catch(() => undefined);
      if (isOver) await lock?.release();
      else sentinel = lock;
    };
    const onVisibility = () => void acquire();
    void acquire();
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      isOver = true;
      document.removeEventListener('visibilitychange', onVisibility);
      void sentinel?.release();
    };
  }, [isOn]);
}
