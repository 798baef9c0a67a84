import { ApiError, get, readError, post, remove, toUrl } from '../../base/api.ts';
import { ERROR_TEXTS } from '../../base/error-texts.ts';
import { t } from '../../base/i18n.ts';
import { revokeLater } from '../../base/object-url.ts';
import { createStore, type ReadableStore } from '../../base/store.ts';
import type { StudioPreview, StudioPreviewResponse } from '../../data/types.ts';

export type FrameWish = Pick<
  StudioPreview,
  'projectId' | 'revision' | 'time' | 'quality' | 'viewport'
>;

export type Frame = {
  readonly wish: FrameWish;
  /** The URL of the picture in the browser's memory. */
  readonly url: string;
};

export type FrameState = {
  /** The last frame that came; it may be an older one than wished. */
  readonly frame?: Frame;
  readonly isLoading: boolean;
  readonly error?: unknown;
};

/** Frames that are kept. */
const KEPT = 60;

export type FrameLoader = {
  readonly state: ReadableStore<FrameState>;
  /** Shows this frame as soon as it can; wishes that came between are passed over. */
  readonly wish: (wish: FrameWish) => void;
  readonly close: () => void;
};

export function createFrameLoader(): FrameLoader {
  const state = createStore<FrameState>({ isLoading: false });
  const kept = new Map<string, Frame>();
  let wanted: FrameWish | undefined;
  let isRunning = false;
  const closing = new AbortController();

  async function run(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    while (wanted && !closing.signal.aborted) {
      const wish = wanted;
      wanted = undefined;
      state.set((old) => ({ ...old, isLoading: true }));
      const outcome = await load(wish);
      state.set((old) => ({ ...old, ...outcome, isLoading: wanted !== undefined }));
    }
    isRunning = false;
  }
  async function load(wish: FrameWish): Promise<Pick<FrameState, 'frame' | 'error'>> {
    const known = kept.get(toKey(wish));
    if (known) return { frame: keep(known), error: undefined };
    try {
      const picture = await fetchFrame(wish, closing.signal);
      return { frame: keep({ wish, url: URL.createObjectURL(picture) }), error: undefined };
    } catch (error) {
      // The next revision is wished for as soon as it is known.
      return isSuperseded(error) ? {} : { error };
    }
  }
  /** As the one used last. */
  function keep(frame: Frame): Frame {
    const key = toKey(frame.wish);
    kept.delete(key);
    kept.set(key, frame);
    const [oldest] = kept;
    if (kept.size > KEPT && oldest) {
      kept.delete(oldest[0]);
      revokeLater(oldest[1].url);
    }
    return frame;
  }
  return {
    state,
    wish(wish) {
      wanted = wish;
      void run();
    },
    close() {
      closing.abort();
      for (const { url } of kept.values()) revokeLater(url);
      kept.clear();
    },
  };
}

const toKey = (wish: FrameWish): string => JSON.stringify(wish);

const isSuperseded = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'revision_superseded';

/** Has a frame rendered. Ends the rendering where nobody waits for it any more. */
async function fetchFrame(wish: FrameWish, signal: AbortSignal): Promise<Blob> {
  let { preview } = await post<StudioPreviewResponse>('/studio/previews', wish);
  const { id } = preview;
  try {
    while (preview.status === 'queued' || preview.status === 'rendering') {
      signal.throwIfAborted();
      preview = await get<StudioPreview>(`/studio/previews/${id}/outcome`, {}, signal);
    }
  } catch (error) {
    void remove(`/studio/previews/${id}`).catch(() => undefined);
    throw error;
  }
  if (preview.status !== 'ready')
    throw preview.revision === preview.currentRevision
      ? new Error(t('Something went wrong. The log of the server says more.'))
      : new ApiError(409, ERROR_TEXTS.revision_superseded, {}, 'revision_superseded');
  const response = await fetch(toUrl(`/studio/previews/${id}/frame`), { signal });
  if (!response.ok) throw await readError(response);
  return response.blob();
}
