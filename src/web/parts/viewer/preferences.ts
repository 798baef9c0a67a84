import { readStorage, writeStorage } from '../../base/storage.ts';
import { createStore } from '../../base/store.ts';

export const LIVE_MODES = ['auto', 'hover', 'off'] as const;
/** When the moving part of a live photo plays: at once, under the pointer, or after a press only. */
export type LiveMode = (typeof LIVE_MODES)[number];

type ViewerPreferences = {
  livePhotos: LiveMode;
  /** Whether photos are loaded in full size at once, and not only when zoomed in. */
  isFullSize: boolean;
};

const LIVE_KEY = 'safelight.live-photos';
const FULL_KEY = 'safelight.full-size';

/** How this device shows photos. */
export const viewerPreferences = createStore<ViewerPreferences>({
  livePhotos: LIVE_MODES.find((mode) => mode === readStorage(LIVE_KEY)) ?? 'hover',
  isFullSize: readStorage(FULL_KEY) === 'on',
});

export function changePreferences(change: Partial<ViewerPreferences>): void {
  viewerPreferences.set((old) => ({ ...old, ...change }));
  const { livePhotos, isFullSize } = viewerPreferences.get();
  writeStorage(LIVE_KEY, livePhotos);
  writeStorage(FULL_KEY, isFullSize ? 'on' : undefined);
}
