import { useEffect } from 'react';
import { isLive } from '../live.ts';
import { useStore } from '../store.ts';
import { uploads } from '../uploads/queue.ts';
import { show, type Timeline } from './timeline-data.ts';

const CALM_MS = 3000;
/** While the server tells what changes. */
const LIVE_MS = 30_000;
const UPLOADING_MS = 700;
/** For so long after an upload the server is making pictures of what came. */
const PROCESSING_MS = 30_000;

/** New photos appear without a reload: an unchanged timeline answers with 304 and no body. */
export function usePolling(timeline: Timeline): void {
  const isUploading = useStore(uploads, (state) => state.isRunning);
  useEffect(() => show(timeline), [timeline]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isGone = false;
    const ask = () => {
      clearTimeout(timer);
      if (isGone || document.visibilityState !== 'visible') return;
      void timeline.refresh().finally(() => {
        if (!isGone) timer = setTimeout(ask, pause());
      });
    };
    ask();
    document.addEventListener('visibilitychange', ask);
    return () => {
      isGone = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', ask);
    };
  }, [timeline, isUploading]);
}

function pause(): number {
  const { isRunning, endedAt } = uploads.get();
  if (isRunning || performance.now() - endedAt < PROCESSING_MS) return UPLOADING_MS;
  return isLive.get() ? LIVE_MS : CALM_MS;
}
