import type { Slide } from 'yet-another-react-lightbox';
import 'yet-another-react-lightbox/plugins/video';
import { getPictureUrl, playbackUrl } from '../../base/pictures.ts';
import { thumbnailUrl } from '../grid/tile.tsx';
import type { PhotoItem } from '../../data/viewer/photo-window.ts';

declare module 'yet-another-react-lightbox' {
  interface GenericSlide {
    assetId?: string;
    thumbnail?: string;
    liveVideoId?: string | null;
  }
  interface AudioSlide extends GenericSlide {
    type: 'audio';
    src: string;
    /** The cover of the recording. */
    poster?: string;
  }
  interface SlideTypes {
    audio: AudioSlide;
  }
}

/** Until the real size is known: enough for a deep zoom into an ordinary photo. */
const ASSUMED_SIDE = 4096;

type Options = {
  /** The longer side of the picture in pixels, once it is known. */
  side?: number | undefined;
  /** Whether the full size is shown at once, and not only when zoomed in. */
  isFull?: boolean;
  /** Whether videos are streamed: then their slides have no file. */
  isStreamed?: boolean;
};

export function toSlide(
  item: PhotoItem,
  { side, isFull = false, isStreamed = false }: Options = {},
): Slide {
  const { id, ratio, isImage, isAudio, hash, liveVideoId } = item;
  const long = (side: number) => ({
    width: Math.round(ratio >= 1 ? side : side * ratio),
    height: Math.round(ratio >= 1 ? side / ratio : side),
  });
  const preview = getPictureUrl(id, 'preview', hash);
  if (isAudio) {
    const cover = hash ? { poster: preview } : {};
    return { type: 'audio', assetId: id, src: playbackUrl(id), ...cover };
  }
  if (!isImage) {
    return {
      type: 'video',
      assetId: id,
      ...long(1920),
      ...(hash ? { poster: preview } : {}),
      sources: isStreamed ? [] : [{ src: playbackUrl(id), type: 'video/mp4' }],
    };
  }
  // The preview claims to be as wide as the screen, so the full picture comes with zooming in only.
  const screenSide = Math.max(window.innerWidth, window.innerHeight) * devicePixelRatio;
  const full = long(Math.max(side ?? ASSUMED_SIDE, screenSide + 1));
  const fullsize = getPictureUrl(id, 'fullsize', hash);
  return {
    assetId: id,
    liveVideoId,
    ...(hash ? { thumbnail: thumbnailUrl(id, hash) } : {}),
    src: isFull ? fullsize : preview,
    alt: '',
    ...full,
    srcSet: [
      ...(isFull ? [] : [{ src: preview, ...long(screenSide) }]),
      { src: fullsize, ...full },
    ],
  };
}
