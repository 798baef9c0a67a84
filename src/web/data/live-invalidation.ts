import type { QueryKey } from '@tanstack/react-query';
import { get } from '../base/api.ts';
import { isOffline } from '../base/connection.ts';
import { isLive, onLiveEvent } from '../base/live.ts';
import { invalidateSoon } from '../base/query-client.ts';
import { keys, PHOTOS } from './query-keys.ts';
import { useStore } from '../base/store.ts';
import type { Me } from './types.ts';

/** Where photos are no longer shown, or again. A deletion changes the rows of memories themselves. */
const SHOWN_PHOTOS = [...PHOTOS, keys.memories];

/** The data that each event of the server makes out of date. */
export const INVALIDATED_BY: Readonly<Record<string, readonly QueryKey[]>> = {
  AssetEditReadyV2: [keys.timeline, keys.results, keys.assets],
  AssetUploadReadyV2: PHOTOS,
  on_album_update: [keys.albums, keys.timeline],
  on_asset_delete: PHOTOS,
  on_asset_hidden: SHOWN_PHOTOS,
  on_asset_restore: SHOWN_PHOTOS,
  on_asset_stack_update: [keys.timeline, keys.results, keys.assets],
  on_asset_trash: SHOWN_PHOTOS,
  on_asset_update: [keys.timeline, keys.results, keys.assets],
  on_config_update: [keys.server, keys.config],
  on_library_update: SHOWN_PHOTOS,
  on_memory_export_update: [keys.memoryExports],
  on_memory_update: [keys.memories],
  on_notification: [keys.notifications, keys.clusterGroups],
  on_person_thumbnail: [keys.people],
  on_upload_success: PHOTOS,
  on_user_delete: [keys.users],
};

const ALL = [...new Set(Object.values(INVALIDATED_BY).flat())];

function invalidateAll(): void {
  for (const queryKey of ALL) invalidateSoon(queryKey);
}

/** Invalidates cached data as the server announces changes. Returns the function that stops it. */
export function followLiveEvents(): () => void {
  const unlisten = onLiveEvent(({ name }) => {
    // Perhaps it is this session: then the answer to any request is that it has ended.
    if (name === 'on_session_delete') void get<Me>('/users/me').catch(() => undefined);
    for (const queryKey of INVALIDATED_BY[name] ?? []) invalidateSoon(queryKey);
  });
  let wasLive = isLive.get();
  const unfollow = isLive.subscribe(() => {
    if (!isLive.get()) return;
    // Events were missed while the connection was lost.
    if (wasLive) invalidateAll();
    wasLive = true;
  });
  const unfollowConnection = isOffline.subscribe(() => {
    // Without a connection the page shows what was kept.
    if (!isOffline.get()) invalidateAll();
  });
  return () => {
    unlisten();
    unfollow();
    unfollowConnection();
  };
}

/** Returns the interval to poll at, in ms, or false while the server announces changes by itself. */
export const usePollingWhileOffline = (everyMs: number): number | false =>
  useStore(isLive) ? false : everyMs;
