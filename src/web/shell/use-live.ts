import { useEffect } from 'react';
import { get } from '../api.ts';
import { listen, onLiveEvent } from '../live.ts';
import { refreshTimelines } from '../timeline/timeline-data.ts';
import type { Me } from '../types.ts';

/** Events come in flocks. */
const CALM_MS = 250;
const ABOUT_PHOTOS =
  /^(on_asset_|on_upload_success|on_library_update|on_album_update|AssetUploadReady|AssetEditReady)/;

/** Follows what the server tells while somebody is signed in. */
export function useLive(): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = listen();
    const unlisten = onLiveEvent(({ name }) => {
      // Perhaps it is this session: then the answer to anything is that it is over.
      if (name === 'on_session_delete') void get<Me>('/users/me').catch(() => undefined);
      if (!ABOUT_PHOTOS.test(name) || timer) return;
      timer = setTimeout(() => {
        timer = undefined;
        void refreshTimelines();
      }, CALM_MS);
    });
    return () => {
      clearTimeout(timer);
      unlisten();
      stop();
    };
  }, []);
}
