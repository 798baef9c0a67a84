import type { Page } from 'playwright-core';

// What a dialog or a menu looks like, in numbers: `layer-faults.ts` judges them.

export type Box = { left: number; top: number; right: number; bottom: number };

export type Control = {
  name: string;
  kind: 'button' | 'checkbox' | 'field' | 'link' | 'range';
  box: Box;
  /** Where its text or that of its label is: null without a visible label. */
  label: Box | null;
  /** Whether it can be scrolled to, so that it need not be in view. */
  scrolls: { x: boolean; y: boolean };
  isInFooter: boolean;
  isInForm: boolean;
  isFocused: boolean;
  /** Whether the tab key reaches it. */
  isTabbable: boolean;
};

export type Text = {
  text: string;
  box: Box;
  isCut: boolean;
  /** Whether the cut has an ellipsis. */
  isShortened: boolean;
  /** Words that go on in the next line without a hyphen. */
  broken: string[];
};

/** Two texts or controls, one on top of the other. */
export type Overlap = { first: string; second: string };

export type Layer = {
  name: string;
  box: Box;
  /** The part of the box that is left of its scroll bars. */
  tooWide: number;
  window: { width: number; height: number };
  controls: Control[];
  texts: Text[];
  overlaps: Overlap[];
  /** Whether something in it has the focus. */
  hasFocus: boolean;
};

/** The layer that is in front of the page. Others are marked by an entry of the test. */
export const LAYER = '[data-layer]';

/** Measures the marked layer. */
export async function measureLayer(page: Page): Promise<Layer> {
  const controls = await page.evaluate(readControls, LAYER);
  const texts = await page.evaluate(readTexts, LAYER);
  const overlaps = await page.evaluate(readOverlaps, LAYER);
  const rest = await page.evaluate(readBox, LAYER);
  return { ...rest, controls, texts, overlaps };
}

/** Runs in the page, as all that follows. */
function readBox(selector: string): Omit<Layer, 'controls' | 'texts' | 'overlaps'> {
  const layer = document.querySelector(selector)!;
  const { left, top, right, bottom } = layer.getBoundingClientRect();
  return {
    name: layer.querySelector('h2')?.textContent ?? layer.getAttribute('aria-label') ?? '',
    box: { left, top, right, bottom },
    tooWide: layer.scrollWidth - layer.clientWidth,
    window: { width: innerWidth, height: innerHeight },
    hasFocus: layer.contains(document.activeElement),
  };
}

function readControls(selector: string): Control[] {
  const layer = document.querySelector(selector)!;
  // One that passes by is no part of a dialog.
  const isOfToast = (element: Element) =>
    !layer.matches('[data-part=toast]') && element.closest('[data-part=toast]') !== null;
  const toBox = ({ left, top, right, bottom }: DOMRect): Box => ({ left, top, right, bottom });
  const toKind = (element: Element): Control['kind'] => {
    if (element.matches('[type=checkbox], [type=radio]')) return 'checkbox';
    if (element.matches('[type=range]')) return 'range';
    if (element.matches('input, select, textarea')) return 'field';
    return element.matches('a') ? 'link' : 'button';
  };
  const findLabel = (element: Element): Box | null => {
    const [label] = (element as HTMLInputElement).labels ?? [];
    if (!label || label.matches('.hidden-title')) return null;
    const texts = document.createTreeWalker(label, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      if (!text.textContent?.trim() || element.contains(text)) continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      return toBox(range.getBoundingClientRect());
    }
    return null;
  };
  const listScrolls = (element: Element) => {
    const scrolls = { x: false, y: false };
    for (let box = element.parentElement; box; box = box === layer ? null : box.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(box);
      if (/auto|scroll/.test(overflowX) && box !== layer) scrolls.x = true;
      if (/auto|scroll/.test(overflowY)) scrolls.y = true;
    }
    return scrolls;
  };
  const CONTROLS = 'button, a[href], input:not([type=hidden]), select, textarea, summary';
  return [...layer.querySelectorAll<HTMLElement>(CONTROLS)]
    .filter(
      (element) =>
        !isOfToast(element) &&
        element.checkVisibility({ visibilityProperty: true, opacityProperty: true }),
    )
    .map((element) => ({
      name:
        element.getAttribute('aria-label') ??
        (
          (element as HTMLInputElement).labels?.[0]?.textContent ||
          element.textContent ||
          ''
        ).trim(),
      kind: toKind(element),
      box: toBox(element.getBoundingClientRect()),
      label: findLabel(element),
      scrolls: listScrolls(element),
      isInFooter: element.closest('.form-actions, .dialog-actions') !== null,
      isInForm: element.closest('form, .field, .check') !== null,
      isFocused: element === document.activeElement,
      isTabbable: element.tabIndex >= 0 && !(element as HTMLButtonElement).disabled,
    }));
}

function readTexts(selector: string): Text[] {
  const SCROLLS = /auto|scroll/;
  const findCut = (element: Element, { left, right, top, bottom }: DOMRect): Element | null => {
    // All tabs are to be seen, although they can be scrolled.
    const isTab = element.closest('[role=tab]') !== null;
    for (let box: Element | null = element; box; box = box.parentElement) {
      const { overflowX, overflowY, clipPath } = getComputedStyle(box);
      if (clipPath !== 'none' || (SCROLLS.test(overflowX) && !isTab)) return null;
      if (overflowX === 'visible') continue;
      const edge = box.getBoundingClientRect();
      if (left < edge.left - 1 || right > edge.right + 1) return box;
      if (SCROLLS.test(overflowY)) return null;
      if (top < edge.top - 2 || bottom > edge.bottom + 2) return box;
    }
    return left < -1 || right > innerWidth + 1 ? document.body : null;
  };
  const listBroken = (text: globalThis.Text): string[] => {
    return [...text.data.matchAll(/[^\s\u00ad\u200b/–—-]+/g)].flatMap((word) => {
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      return lines.size > 1 ? [word[0]] : [];
    });
  };
  const found: Text[] = [];
  const layer = document.querySelector(selector)!;
  const isToast = layer.matches('[data-part=toast]');
  const texts = document.createTreeWalker(layer, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const text = node as globalThis.Text;
    const parent = text.parentElement!;
    if (!text.data.trim() || parent.closest('option, .hidden-title')) continue;
    if (!isToast && parent.closest('[data-part=toast]')) continue;
    if (!parent.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const box = range.getBoundingClientRect();
    if (box.width === 0) continue;
    const cut = findCut(parent, box);
    const { left, top, right, bottom } = box;
    found.push({
      text: text.data.trim(),
      box: { left, top, right, bottom },
      isCut: cut !== null,
      isShortened: cut !== null && getComputedStyle(cut).textOverflow === 'ellipsis',
      broken: listBroken(text),
    });
  }
  return found;
}

function readOverlaps(selector: string): Overlap[] {
  const layer = document.querySelector(selector)!;
  const isToast = layer.matches('[data-part=toast]');
  type Piece = { node: Element; name: string; box: DOMRect; isText?: boolean };
  const pieces: Piece[] = [];
  const isShown = (element: Element) =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    !element.closest('.hidden-title') &&
    (isToast || !element.closest('[data-part=toast]'));
  const texts = document.createTreeWalker(layer, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const node = text.parentElement!;
    if (!text.textContent?.trim() || node.closest('option') || !isShown(node)) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const name = text.textContent.trim();
    pieces.push({ node, name, box: range.getBoundingClientRect(), isText: true });
  }
  for (const node of layer.querySelectorAll('button, a[href], input, select, textarea, img')) {
    if (!isShown(node)) continue;
    const { left, top, width, height } = node.getBoundingClientRect();
    const { paddingLeft, paddingRight } = getComputedStyle(node);
    // A button may stand in the padding of a field.
    const [start, end] = node.matches('input') ? [paddingLeft, paddingRight] : ['0', '0'];
    const inner = Math.max(0, width - parseFloat(start) - parseFloat(end));
    const box = new DOMRect(left + parseFloat(start), top, inner, height);
    pieces.push({ node, name: node.getAttribute('aria-label') ?? node.textContent ?? '', box });
  }
  const findSticky = (element: Element): Element | null => {
    for (let box: Element | null = element; box && box !== layer; box = box.parentElement) {
      if (/sticky|fixed/.test(getComputedStyle(box).position)) return box;
    }
    return null;
  };
  /** The part that its scrollers show. */
  const clip = ({ node, box, isText }: Piece): DOMRect => {
    let { left, top, right, bottom } = box;
    for (
      let outer = isText ? node : node.parentElement;
      outer;
      outer = outer === layer ? null : outer.parentElement
    ) {
      if (getComputedStyle(outer).overflowX === 'visible') continue;
      const edge = outer.getBoundingClientRect();
      left = Math.max(left, edge.left);
      right = Math.min(right, edge.right);
      top = Math.max(top, edge.top);
      bottom = Math.min(bottom, edge.bottom);
    }
    return new DOMRect(left, top, Math.max(0, right - left), Math.max(0, bottom - top));
  };
  for (const piece of pieces) piece.box = clip(piece);
  const overlaps: Overlap[] = [];
  for (const [at, one] of pieces.entries()) {
    for (const other of pieces.slice(at + 1)) {
      const width =
        Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const height =
        Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      if (width < 3 || height < 5) continue;
      if (one.node.contains(other.node) || other.node.contains(one.node)) continue;
      // A note or a button may stand on a picture.
      if (one.node.matches('img') !== other.node.matches('img')) continue;
      // What stays in view lies over what is scrolled.
      if (findSticky(one.node) !== findSticky(other.node)) continue;
      overlaps.push({
        first: one.name || one.node.localName,
        second: other.name || other.node.localName,
      });
    }
  }
  return overlaps;
}
