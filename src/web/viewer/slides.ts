import type { Slide } from 'yet-another-react-lightbox';
import 'yet-another-react-lightbox/plugins/video';
import { getPictureUrl, playbackUrl } from '../pictures.ts';
import { thumbnailUrl } from '../timeline/tile.tsx';
import type { PhotoItem } from './photo-window.ts';

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

export function toSlide({ id, ratio, isImage, isAudio, hash, liveVideoId }: PhotoItem): Slide {
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
      sources: [{ src: playbackUrl(id), type: 'video/mp4' }],
    };
  }
  // The preview claims to be as wide as the screen, so the full picture comes with zooming in only.
  const screenSide = Math.max(window.innerWidth, window.innerHeight) * devicePixelRatio;
  const full = long(Math.max(ASSUMED_SIDE, screenSide + 1));
  return {
    assetId: id,
    liveVideoId,
    ...(hash ? { thumbnail: thumbnailUrl(id, hash) } : {}),
    src: preview,
    alt: '',
    ...full,
    srcSet: [
      { src: preview, ...long(screenSide) },
      { src: getPictureUrl(id, 'fullsize', hash), ...full },
    ],
  };
}
