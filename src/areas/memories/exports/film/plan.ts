import { getFirst } from '../../../../core/required.ts';
import { MAX_FILM_ITEMS } from '../domain.ts';
import type { FilmAsset } from './film.store.ts';

// Lengths are counted in frames, so that sound and pictures of a part end at the same instant; and in
// steps of 100 ms, since the parts are joined at whole microseconds.

export const FPS = 30;
const STEP_FRAMES = 3;
/** Frames of a crossfade, in which both items are seen. */
export const FADE_FRAMES = 15;
const TITLE_FRAMES = 3 * FPS;
const STILL_FRAMES = 4 * FPS;
const VIDEO_FRAMES = 6 * FPS;
/** Where the film would become too long otherwise. */
const SHORT_VIDEO_FRAMES = 4 * FPS;
/** Shorter videos are shown by their picture. */
const MIN_VIDEO_MS = 1500;
const MIN_FILM_FRAMES = 20 * FPS;
const MAX_FILM_FRAMES = 90 * FPS;

export type FilmItem = {
  readonly asset: FilmAsset;
  readonly kind: 'title' | 'still' | 'video';
  /** With the crossfades at both ends. */
  readonly frames: number;
  /** The time at which a video starts. */
  readonly startMs: number;
};

/** Spread over the whole memory, in order; of each part the favorite, else one with people. */
export function chooseAssets(assets: readonly FilmAsset[], most = MAX_FILM_ITEMS): FilmAsset[] {
  if (assets.length <= most) return [...assets];
  const rank = ({ isFavorite, faces, type }: FilmAsset) =>
    (isFavorite ? 4 : 0) + (faces.length > 0 ? 2 : 0) + (type === 'VIDEO' ? 1 : 0);
  return Array.from({ length: most }, (_, part) => {
    const [from, to] = [part, part + 1].map((n) => Math.floor((n * assets.length) / most));
    const candidates = assets.slice(from, to);
    return candidates.reduce((best, one) => (rank(one) > rank(best) ? one : best));
  });
}

/** Returns the title card and the items, 20 to 90 seconds together. `assets`: at least one. */
export function planFilm(assets: readonly FilmAsset[]): FilmItem[] {
  const [cover] = assets;
  if (!cover) return [];
  const title = { asset: cover, kind: 'title', frames: TITLE_FRAMES, startMs: 0 } as const;
  let items = [title, ...assets.map((asset) => toItem(asset, VIDEO_FRAMES))];
  if (countFrames(items) > MAX_FILM_FRAMES) {
    items = [title, ...assets.map((asset) => toItem(asset, SHORT_VIDEO_FRAMES))];
  }
  return lengthen(items);
}

/** Frames of the whole film. */
export const countFrames = (items: readonly FilmItem[]): number =>
  items.reduce((sum, { frames }) => sum + frames - FADE_FRAMES, FADE_FRAMES);

function toItem(asset: FilmAsset, mostFrames: number): FilmItem {
  const { type, durationMs, bestMs } = asset;
  if (type === 'IMAGE' || durationMs === null || durationMs < MIN_VIDEO_MS) {
    return { asset, kind: 'still', frames: STILL_FRAMES, startMs: 0 };
  }
  const frames = Math.min(mostFrames, toFrames(durationMs));
  const last = durationMs - (frames * 1000) / FPS;
  const startMs = Math.round(Math.max(0, Math.min(last, bestMs ?? durationMs / 3)));
  return { asset, kind: 'video', frames, startMs };
}

const toFrames = (ms: number) => Math.floor((ms * FPS) / 1000 / STEP_FRAMES) * STEP_FRAMES;

/** Shows stills for longer when there are few; where there are none, the picture of a video. */
function lengthen(items: readonly FilmItem[]): FilmItem[] {
  const missing = MIN_FILM_FRAMES - countFrames(items);
  if (missing <= 0) return [...items];
  const stills = items.filter(({ kind }) => kind === 'still');
  if (stills.length === 0) {
    const { asset } = getFirst(items);
    const still = { asset, kind: 'still', frames: STILL_FRAMES, startMs: 0 } as const;
    return lengthen([...items, still]);
  }
  const more = Math.ceil(missing / stills.length / STEP_FRAMES) * STEP_FRAMES;
  return items.map((item) =>
    item.kind === 'still' ? { ...item, frames: item.frames + more } : item,
  );
}
