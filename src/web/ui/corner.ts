// Places what floats above the lower edge of the window, so that nothing covers the controls of another. Each surface
// names its layer by its `ref`; those of a higher layer move out of the way of those below.

type Layer = 'content' | 'bar' | 'overlay' | 'uploads' | 'toasts';
type Box = { left: number; right: number; top: number; bottom: number };
type Surface = { layer: Layer; element: HTMLElement };

/** Distance in px between two surfaces, and from the edge of the content. */
const GAP = 8;
/** Toasts stay above the controls of a video that fills the window, in px from its lower edge. */
const TOASTS_ABOVE = 88;
/** The share of the content's height that the uploads may take; less in a low window, such as a phone's on its side. */
const UPLOADS_SHARE = { high: 0.55, low: 0.4 };
const LOW_WINDOW_PX = 600;

const surfaces = new Set<Surface>();
let frame = 0;

// The layers are refs of elements. Bars and overlays have their place: uploads and toasts avoid bars, only toasts
// avoid overlays. Uploads and toasts read their distance from the window's lower edge from `--corner-bottom`.

/** The area that the navigation leaves. */
export const cornerContent = createRef('content');
export const cornerBar = createRef('bar');
export const cornerOverlay = createRef('overlay');
export const cornerUploads = createRef('uploads');
export const cornerToasts = createRef('toasts');

function createRef(layer: Layer) {
  return (element: HTMLElement | null): (() => void) | undefined => {
    if (!element) return undefined;
    const surface = { layer, element };
    surfaces.add(surface);
    const observer = new ResizeObserver(layOutSoon);
    observer.observe(element);
    // Where something is seen during an animation is not where it stays. The content only shrinks and grows.
    if (layer !== 'content') {
      element.addEventListener('animationend', layOutSoon);
      element.addEventListener('transitionend', layOutSoon);
    }
    if (surfaces.size === 1) window.addEventListener('resize', layOutSoon);
    layOut();
    return () => {
      observer.disconnect();
      element.removeEventListener('animationend', layOutSoon);
      element.removeEventListener('transitionend', layOutSoon);
      surfaces.delete(surface);
      if (surfaces.size === 0) window.removeEventListener('resize', layOutSoon);
      layOutSoon();
    };
  };
}

/** After the observer's own turn: what it changes may have another size. */
function layOutSoon(): void {
  frame ||= requestAnimationFrame(() => {
    frame = 0;
    layOut();
  });
}

const list = (...layers: Layer[]): HTMLElement[] =>
  [...surfaces].filter(({ layer }) => layers.includes(layer)).map(({ element }) => element);

function layOut(): void {
  const content = list('content')[0];
  const area = content?.getBoundingClientRect() ?? new DOMRect(0, 0, innerWidth, innerHeight);
  const edge = innerHeight - area.bottom + GAP;
  const share = area.height < LOW_WINDOW_PX ? UPLOADS_SHARE.low : UPLOADS_SHARE.high;
  let covered = 0;
  for (const element of list('uploads')) {
    setLength(element, '--corner-room', area.height * share);
    const bottom = place(element, edge, list('bar'));
    covered = Math.max(covered, bottom + element.offsetHeight - (innerHeight - area.bottom));
  }
  for (const element of list('toasts')) {
    setLength(element, '--corner-left', area.left);
    setLength(element, '--corner-right', innerWidth - area.right);
    // Within a dialog, which switches off what it lies over.
    const dialog = element.closest('dialog');
    if (dialog) place(element, GAP, [dialog]);
    else place(element, Math.max(edge, TOASTS_ABOVE), list('bar', 'overlay', 'uploads'));
  }
  if (content) setLength(content, '--corner-covered', covered);
}

/** Moves an element upwards until it covers none of the others. Returns its distance from the lower edge in px. */
function place(element: HTMLElement, edge: number, others: readonly HTMLElement[]): number {
  const { left, right } = element.getBoundingClientRect();
  const boxes = others.map((other) => other.getBoundingClientRect());
  const bottom = findBottom({ left, right, height: element.offsetHeight }, edge, boxes);
  setLength(element, '--corner-bottom', bottom);
  return bottom;
}

type Floating = { left: number; right: number; height: number };

/**
 * Returns the lowest distance from the window's lower edge, at least `edge`, at which a box covers none of the others;
 * `edge` if there is none in the window. All in px.
 */
export function findBottom(
  { left, right, height }: Floating,
  edge: number,
  boxes: readonly Box[],
  windowHeight = innerHeight,
): number {
  const beside = boxes
    .filter((box) => box.bottom > box.top && box.left < right && box.right > left)
    .toSorted((a, b) => b.bottom - a.bottom);
  let bottom = edge;
  for (const box of beside) {
    const isBelow = windowHeight - box.top + GAP <= bottom;
    const isAbove = windowHeight - box.bottom - GAP >= bottom + height;
    if (!isBelow && !isAbove) bottom = windowHeight - box.top + GAP;
  }
  return bottom + height <= windowHeight ? bottom : edge;
}

function setLength(element: HTMLElement, name: string, px: number): void {
  const value = `${Math.round(px)}px`;
  if (element.style.getPropertyValue(name) !== value) element.style.setProperty(name, value);
}
