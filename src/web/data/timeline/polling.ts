import { isLive } from '../../base/live.ts';
import { uploads } from '../uploads/items.ts';
import type { Filter } from './queries.ts';

const OFFLINE_MS = 3000;
/** Events tell of one's own photos only. */
const OTHERS_MS = 30_000;
const UPLOADING_MS = 1000;
/** For so long after an upload the server is making pictures of what came. */
const PROCESSING_MS = 30_000;

/** Returns how long to wait before a timeline is asked for again, in ms; false: until an event. */
export function pollingInterval({ albumId, userId, withPartners }: Filter): number | false {
  if (isLive.get()) return albumId || userId || withPartners ? OTHERS_MS : false;
  const { isRunning, endedAt } = uploads.get();
  const isProcessing = isRunning || performance.now() - endedAt < PROCESSING_MS;
  return isProcessing ? UPLOADING_MS : OFFLINE_MS;
}

/** Calls `listener` when the interval may have become another one; returns how to stop that. */
export function onPollingChange(listener: () => void): () => void {
  const stops = [isLive.subscribe(listener), uploads.subscribe(listener)];
  return () => {
    for (const stop of stops) stop();
  };
}
