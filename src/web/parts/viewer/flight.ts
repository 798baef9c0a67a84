import { findTilePicture } from '../grid/tile-picture.ts';

// A tile that grows into the viewer, and the picture that goes back into it. A copy moves, over everything and out of
// the way of the pointer: view transitions would take the input of the page for as long.

const DURATION_MS = 180;
const EASE = 'cubic-bezier(0.2, 0, 0, 1)';

type Box = Pick<DOMRect, 'left' | 'top' | 'width' | 'height'>;

const isStill = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches;

/** Shows how the tile of a photo becomes the picture in this box of the viewer. */
export function flyIn(viewer: HTMLElement, id: string): void {
  const tile = findTile(id);
  const stage = viewer.querySelector('.viewer-main');
  if (!tile || !stage || isStill()) return;
  const { naturalWidth, naturalHeight } = tile;
  const box = fit(stage.getBoundingClientRect(), naturalWidth / naturalHeight);
  fly(tile, tile.getBoundingClientRect(), box);
  // What is below appears when the copy has come there.
  stage.animate([{ opacity: 0 }, { opacity: 0, offset: 0.9 }, { opacity: 1 }], DURATION_MS);
}

/** Shows how the picture of the viewer becomes a tile, where there is one in view. */
export function flyOut(viewer: HTMLElement, id: string): void {
  const tile = findTile(id);
  const stage = viewer.querySelector('.viewer-main');
  if (!tile || !stage || isStill()) return;
  const picture = viewer.querySelector('.yarl__slide_current :is(.yarl__slide_image, video)');
  const { naturalWidth, naturalHeight } = tile;
  const area = (picture ?? stage).getBoundingClientRect();
  fly(tile, fit(area, naturalWidth / naturalHeight), tile.getBoundingClientRect());
  viewer.style.pointerEvents = 'none';
  viewer.animate([{ opacity: 1 }, { opacity: 0 }], { duration: DURATION_MS, fill: 'forwards' });
}

/** The largest box of this ratio in the middle of another one. */
export function fit({ left, top, width, height }: Box, ratio: number): Box {
  const fitted = Math.min(width, height * ratio);
  const high = fitted / ratio;
  return {
    left: left + (width - fitted) / 2,
    top: top + (height - high) / 2,
    width: fitted,
    height: high,
  };
}

/** The picture of a tile that is in view. */
function findTile(id: string): HTMLImageElement | undefined {
  const tile = findTilePicture(id);
  if (!tile) return undefined;
  const { top, bottom } = tile.getBoundingClientRect();
  return bottom > 0 && top < innerHeight ? tile : undefined;
}

function fly(tile: HTMLImageElement, from: Box, to: Box): void {
  const large = from.width > to.width ? from : to;
  // A photo may be closed while its copy still moves in: only one copy is shown.
  for (const earlier of document.querySelectorAll('[data-part=flight]')) earlier.remove();
  const copy = document.createElement('img');
  copy.src = tile.currentSrc;
  copy.alt = '';
  copy.dataset['part'] = 'flight';
  Object.assign(copy.style, {
    position: 'fixed',
    zIndex: '31',
    inset: '0 auto auto 0',
    width: `${large.width}px`,
    height: `${large.height}px`,
    objectFit: 'cover',
    transformOrigin: '0 0',
    pointerEvents: 'none',
  });
  const toTransform = ({ left, top, width, height }: Box) =>
    `translate(${left}px, ${top}px) scale(${width / large.width}, ${height / large.height})`;
  document.body.append(copy);
  const flight = copy.animate([{ transform: toTransform(from) }, { transform: toTransform(to) }], {
    duration: DURATION_MS,
    easing: EASE,
    fill: 'forwards',
  });
  const end = () => copy.remove();
  flight.finished.then(end, end);
}
