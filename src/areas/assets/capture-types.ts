import { isNamedAs } from '../../media/file-names.ts';
import { isRaw } from '../../media/formats.ts';

export const CAPTURE_TYPES = [
  'screenshot',
  'screenRecording',
  'selfie',
  'panorama',
  'burst',
  'raw',
  'slowMotion',
  'animation',
] as const;
/** How an item was made. An item may have several. */
export type CaptureType = (typeof CAPTURE_TYPES)[number];

export type CaptureFacts = {
  readonly type: string;
  readonly fileName: string;
  readonly model: string | null;
  readonly lensModel: string | null;
  readonly burstId: string | null;
  readonly projectionType: string | null;
  /** Frames per second. */
  readonly fps: number | null;
  /** Pixels, as stored: a crop of the owner makes no panorama. */
  readonly exifWidth: number | null;
  readonly exifHeight: number | null;
};

/** iPhones name screenshots as photos, but keep them as PNG. */
const IS_IPHONE_PNG = /^IMG_\d{4}\.png$/i;
/** iPhones and Pixels: 'iPhone 15 Pro front TrueDepth camera 2.69mm f/1.9'. */
const IS_FRONT_LENS = /\bfront\b|frontkamera/i;
/** No camera takes single pictures as long as this. */
const PANORAMA_RATIO = 2.4;
/** No screen or film camera shows as many frames per second in real time. */
const SLOW_MOTION_FPS = 100;

const isScreenshotName = ({ fileName, model }: CaptureFacts) =>
  model === null && (isNamedAs('screenshot', fileName) || IS_IPHONE_PNG.test(fileName));

const IS: Readonly<Record<CaptureType, (facts: CaptureFacts) => boolean>> = {
  screenshot: (facts) => facts.type === 'IMAGE' && isScreenshotName(facts),
  screenRecording: (facts) => facts.type === 'VIDEO' && isNamedAs('screenshot', facts.fileName),
  selfie: ({ fileName, lensModel }) =>
    IS_FRONT_LENS.test(lensModel ?? '') || isNamedAs('selfie', fileName),
  panorama: isPanorama,
  burst: ({ type, burstId, fileName }) =>
    type === 'IMAGE' && (burstId !== null || isNamedAs('burst', fileName)),
  raw: ({ fileName }) => isRaw(fileName),
  slowMotion: ({ type, fps }) => type === 'VIDEO' && fps !== null && fps >= SLOW_MOTION_FPS,
  animation: ({ fileName }) => /\.gif$/i.test(fileName),
};

/** A long picture without a camera is a banner or a page. */
function isPanorama({ type, ...facts }: CaptureFacts): boolean {
  if (type !== 'IMAGE') return false;
  if (facts.projectionType !== null || isNamedAs('panorama', facts.fileName)) return true;
  const { exifWidth, exifHeight, model } = facts;
  if (!exifWidth || !exifHeight || model === null) return false;
  return Math.max(exifWidth, exifHeight) / Math.min(exifWidth, exifHeight) >= PANORAMA_RATIO;
}

/** Returns how an item was made, as far as its name and metadata tell. */
export const listCaptureTypes = (facts: CaptureFacts): CaptureType[] =>
  CAPTURE_TYPES.filter((type) => IS[type](facts));
