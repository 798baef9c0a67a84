import { useEffect } from 'react';
import { followLiveEvents } from '../live-invalidation.ts';
import { connectLive } from '../live.ts';

/** Keeps the connection for live events open while somebody is signed in. */
export function useLive(): void {
  useEffect(() => {
    const unfollow = followLiveEvents();
    const stop = connectLive();
    return () => {
      unfollow();
      stop();
    };
  }, []);
}
