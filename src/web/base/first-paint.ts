import { hasLoginCookie, readStorage, writeStorage } from './storage.ts';

// While the program loads, grey boxes stand where the page had its bars and its photos when it was left.

const KEY = 'safelight.first-paint';
const BARS = 'header a, header form, header button';
const TILES = '[data-part=tile]';
const MOST = 200;

/** Left, top, width and height in px of the window. */
type Box = readonly [number, number, number, number];
type Layout = {
  readonly path: string;
  readonly width: number;
  readonly height: number;
  readonly bars: readonly Box[];
  readonly tiles: readonly Box[];
};

/** Remembers the layout whenever the page is left. */
export function watchLayout(): void {
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) writeStorage(KEY, JSON.stringify(readLayout()));
  });
}

const readLayout = (): Layout => ({
  path: location.pathname,
  width: innerWidth,
  height: innerHeight,
  bars: listBoxes(BARS),
  tiles: listBoxes(TILES),
});

function listBoxes(selector: string): Box[] {
  return [...document.querySelectorAll(selector)]
    .map((element) => element.getBoundingClientRect())
    .filter(({ top, bottom, width }) => width > 0 && bottom > 0 && top < innerHeight)
    .slice(0, MOST)
    .map(({ x, y, width, height }): Box => [
      Math.round(x),
      Math.round(y),
      Math.round(width),
      Math.round(height),
    ]);
}

/** Draws the layout of the last visit for somebody who is logged in; photos only where they were, at the same address. */
export function showLayout(): void {
  const layout = parseLayout(readStorage(KEY));
  if (!layout || !hasLoginCookie()) return;
  if (layout.width !== innerWidth || layout.height !== innerHeight) return;
  const paint = document.createElement('div');
  paint.id = 'first-paint';
  paint.ariaHidden = 'true';
  const tiles = layout.path === location.pathname ? layout.tiles : [];
  for (const box of layout.bars) paint.append(createBox(box, '999px'));
  for (const box of tiles) paint.append(createBox(box, '4px'));
  document.body.append(paint);
}

export const hideLayout = (): void => document.getElementById('first-paint')?.remove();

function createBox([left, top, width, height]: Box, borderRadius: string): HTMLElement {
  const box = document.createElement('i');
  const px = (length: number) => `${length}px`;
  Object.assign(box.style, {
    left: px(left),
    top: px(top),
    width: px(width),
    height: px(height),
    borderRadius,
  });
  return box;
}

function parseLayout(text: string | null): Layout | undefined {
  try {
    return text === null ? undefined : (JSON.parse(text) as Layout);
  } catch {
    return undefined;
  }
}
