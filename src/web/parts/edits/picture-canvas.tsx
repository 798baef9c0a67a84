import { useEffect, useMemo, useRef, useState } from 'react';
import type { Adjustments } from '../../../media/adjustments.ts';
import { getUneditedUrl } from '../../base/pictures.ts';
import type { Edits, Size } from '../../data/edits/edit-data.ts';
import { drawPixels, showAdjusted } from './draw.ts';

/** Screens show more than one pixel per CSS px; beyond two nobody sees a difference while a slider moves. */
const MAX_PIXEL_RATIO = 2;

/** The picture as it was taken, once it is decoded. */
export function useUneditedImage(id: string): { image?: HTMLImageElement; hasFailed: boolean } {
  const [image, setImage] = useState<HTMLImageElement>();
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    let isOver = false;
    const loading = new Image();
    loading.src = getUneditedUrl(id);
    loading.decode().then(
      () => !isOver && setImage(loading),
      () => !isOver && setFailed(true),
    );
    return () => {
      isOver = true;
    };
  }, [id]);
  return { ...(image && { image }), hasFailed };
}

type Props = {
  image: HTMLImageElement;
  edits: Edits;
  adjustments: Adjustments;
  /** CSS px. */
  size: Size;
  label?: string;
};

/** The shown part of a picture, with its light and colour as the server renders it. */
export function PictureCanvas({ image, edits, adjustments, size, label }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { straighten } = adjustments;
  const ratio = Math.min(MAX_PIXEL_RATIO, window.devicePixelRatio);
  const width = Math.max(1, Math.round(size.width * ratio));
  const height = Math.max(1, Math.round(size.height * ratio));
  const pixels = useMemo(
    () => drawPixels(image, { edits, straighten }, { width, height }),
    [image, edits, straighten, width, height],
  );
  useEffect(() => {
    if (canvas.current) showAdjusted(canvas.current, pixels, adjustments);
  }, [pixels, adjustments]);
  return (
    <canvas
      ref={canvas}
      role={label === undefined ? undefined : 'img'}
      aria-label={label}
      aria-hidden={label === undefined}
      style={{ width: size.width, height: size.height }}
    />
  );
}
