import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { multiply, toRational, toSeconds } from '../../../core/rational.ts';
import { toUrl } from '../../base/api.ts';
import type { StudioSource } from '../../data/types.ts';
import { getSpeed } from './edits.ts';
import { getLength, isClip, type MediaEntry } from './film.ts';
import { sourceQuery } from '../../data/studio/queries.ts';
import styles from './timeline.module.css';

/** The width of a canvas, in pixels; longer clips are drawn at lower resolution. */
const MAX_WIDTH = 8000;
const HEIGHT = 40;
const WAVE_HEIGHT = 14;

/** How loud a video is over the time that is played, and for a clip its frames above that. */
export function PartPicture({ part, zoom }: { part: MediaEntry; zoom: number }) {
  const { data: source } = useQuery(sourceQuery(part.assetId));
  const canvas = useRef<HTMLCanvasElement>(null);
  const frames = isClip(part) ? source?.strip : undefined;
  const strip = useImage(frames ? toUrl(`/studio/sources/${part.assetId}/strip`) : undefined);
  const width = Math.max(1, Math.min(MAX_WIDTH, Math.round(toSeconds(getLength(part)) * zoom)));
  const from = toSeconds(toRational(part.sourceIn));
  const perPixel = toSeconds(multiply(getLength(part), getSpeed(part))) / width;
  const { volume = 1 } = part;
  const waveHeight = isClip(part) ? WAVE_HEIGHT : HEIGHT;
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!context || !source) return;
    context.clearRect(0, 0, width, HEIGHT);
    const span = { from, perPixel, width };
    if (strip && frames) drawFrames(context, strip, frames, span);
    if (source.waveform) drawWave(context, source.waveform, { ...span, volume, waveHeight });
  }, [source, strip, frames, from, perPixel, width, volume, waveHeight]);
  return (
    <canvas
      ref={canvas}
      className={styles.clipPicture}
      width={width}
      height={HEIGHT}
      data-ready={source?.state === 'ready' && (!frames || strip !== undefined)}
      aria-hidden
    />
  );
}

/** In seconds of the source. */
type Span = { readonly from: number; readonly perPixel: number; readonly width: number };

function drawFrames(
  context: CanvasRenderingContext2D,
  picture: HTMLImageElement,
  { frames, secondsPerFrame, width, height }: NonNullable<StudioSource['strip']>,
  span: Span,
): void {
  const step = (width * HEIGHT) / height;
  for (let x = 0; x < span.width; x += step) {
    const frame = Math.floor((span.from + x * span.perPixel) / secondsPerFrame);
    const left = Math.min(frames - 1, frame) * width;
    context.drawImage(picture, left, 0, width, height, x, 0, step, HEIGHT);
  }
}

function drawWave(
  context: CanvasRenderingContext2D,
  { peaks, peaksPerSecond }: NonNullable<StudioSource['waveform']>,
  span: Span & { readonly volume: number; readonly waveHeight: number },
): void {
  context.fillStyle = 'rgb(0 0 0 / 45%)';
  context.fillRect(0, HEIGHT - span.waveHeight, span.width, span.waveHeight);
  context.fillStyle = 'rgb(255 255 255 / 85%)';
  for (let x = 0; x < span.width; x += 1) {
    const begin = Math.floor((span.from + x * span.perPixel) * peaksPerSecond);
    const end = Math.floor((span.from + (x + 1) * span.perPixel) * peaksPerSecond);
    const loudest = Math.max(0, ...peaks.slice(begin, Math.max(end, begin + 1)));
    const height = Math.min(1, (loudest / 255) * span.volume) * span.waveHeight;
    context.fillRect(x, HEIGHT - height, 1, height);
  }
}

/** Returns a picture once it is loaded. */
function useImage(url: string | undefined): HTMLImageElement | undefined {
  const [image, setImage] = useState<HTMLImageElement>();
  useEffect(() => {
    if (url === undefined) return;
    const loading = new Image();
    loading.onload = () => setImage(loading);
    loading.src = url;
    return () => void (loading.onload = null);
  }, [url]);
  return image;
}
