import { useEffect } from 'react';
import { useStore } from '../store.ts';
import { uploads } from '../uploads/queue.ts';
import type { Timeline } from './timeline-data.ts';

const CALM_MS = 3000;
const UPLOADING_MS = 1000;

/** New photos appear without a reload: an unchanged timeline answers with 304 and no body. */
export function usePolling(timeline: Timeline): void {
  const isUploading = useStore(uploads, (state) => state.isRunning);
  useEffect(() => {
    const ask = () => {
      if (document.visibilityState === 'visible') void timeline.refresh();
    };
    ask();
    const timer = setInterval(ask, isUploading ? UPLOADING_MS : CALM_MS);
    document.addEventListener('visibilitychange', ask);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', ask);
    };
  }, [timeline, isUploading]);
}
