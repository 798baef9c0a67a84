import {
  thumbHashToApproximateAspectRatio,
  thumbHashToAverageRGBA,
  thumbHashToDataURL,
} from 'thumbhash';

/** Decoding costs about a tenth of a millisecond: a few per idle moment, newest first. */
const BUDGET_MS = 4;
const waiting: { hash: string; host: HTMLElement }[] = [];
let isPlanned = false;

const decodeBase64 = (hash: string): Uint8Array =>
  Uint8Array.from(atob(hash), (c) => c.charCodeAt(0));

/** Width by height, to about a tenth; square where nothing is known. */
export function getAspectRatio(hash: string | null): number {
  try {
    return hash ? thumbHashToApproximateAspectRatio(decodeBase64(hash)) : 1;
  } catch {
    return 1;
  }
}

/** Draws the blurred picture into `host` soon, if it is still there and still wanted then. */
export function queueThumbhash(hash: string, host: HTMLElement): () => void {
  const entry = { hash, host };
  waiting.push(entry);
  if (!isPlanned) plan();
  return () => {
    const at = waiting.indexOf(entry);
    if (at >= 0) waiting.splice(at, 1);
    host.style.backgroundImage = '';
  };
}

function plan(): void {
  isPlanned = true;
  requestAnimationFrame(() => setTimeout(work, 0));
}

function work(): void {
  const end = performance.now() + BUDGET_MS;
  while (performance.now() < end) {
    const next = waiting.pop();
    if (!next) break;
    if (next.host.isConnected && !isCovered(next.host)) draw(next.hash, next.host);
  }
  isPlanned = false;
  if (waiting.length > 0) plan();
}

/** The picture itself was quicker. */
const isCovered = (host: HTMLElement): boolean =>
  host.nextElementSibling instanceof HTMLImageElement &&
  host.nextElementSibling.complete &&
  host.nextElementSibling.naturalWidth > 0;

function draw(hash: string, host: HTMLElement): void {
  try {
    // A canvas would be a layer of its own, and all that lies above it another.
    host.style.backgroundImage = `url(${thumbHashToDataURL(decodeBase64(hash))})`;
    host.style.backgroundSize = '100% 100%';
  } catch {
    // A hash that cannot be read: the plain colour stays.
  }
}

const colors = new Map<string, string | undefined>();

/** Returns the colour that says most about the picture; cheap enough to ask for while drawing. */
export function getAverageColor(hash: string | null): string | undefined {
  if (!hash) return undefined;
  if (colors.has(hash)) return colors.get(hash);
  if (colors.size > 5000) colors.clear();
  const color = computeAverage(hash);
  colors.set(hash, color);
  return color;
}

function computeAverage(hash: string): string | undefined {
  try {
    const { r, g, b } = thumbHashToAverageRGBA(decodeBase64(hash));
    return `rgb(${Math.round(r * 255)} ${Math.round(g * 255)} ${Math.round(b * 255)})`;
  } catch {
    return undefined;
  }
}
