import { createStore, type Store } from '../store.ts';

/** The part of the timeline that must be drawn, in pixels from its top, a little more than seen. */
export type View = { from: number; to: number };

export type Scroller = {
  view: Store<View>;
  /** Width of the timeline in pixels; 0 before the first measurement. */
  width: Store<number>;
  /** True while it flies by too fast to look at pictures: loading them would be waste. */
  isFast: Store<boolean>;
  attach(element: HTMLElement, body: HTMLElement): () => void;
  element(): HTMLElement | undefined;
  /** From the top of the timeline, not counting what stands above it. */
  top(): number;
  height(): number;
  /** Height in px of the content above the timeline inside the scrolled element. */
  margin(): number;
  scrollTo(top: number): void;
  /** Scrolls just as far as needed to show a span. */
  reveal(top: number, bottom: number): void;
  onScroll(listener: () => void): () => void;
};

const STEP = 160;
const OVERSCAN = 480;
/** Pixels per millisecond. */
const FAST_SPEED = 6;
const SETTLE_MS = 90;

export function createScroller(): Scroller {
  const view = createStore<View>({ from: 0, to: 1200 });
  const width = createStore(0);
  const isFast = createStore(false);
  const listeners = new Set<() => void>();
  let scrolled: HTMLElement | undefined;
  let body: HTMLElement | undefined;
  let margin = 0;
  let [lastTop, lastTime] = [0, 0];
  let settleTimer: ReturnType<typeof setTimeout> | undefined;

  const top = () => (scrolled ? scrolled.scrollTop - margin : 0);

  function updateView(): void {
    if (!scrolled) return;
    const from = Math.floor((top() - OVERSCAN) / STEP) * STEP;
    const to = Math.ceil((top() + scrolled.clientHeight + OVERSCAN) / STEP) * STEP;
    const old = view.get();
    if (old.from !== from || old.to !== to) view.set({ from, to });
  }

  function measureSpeed(): void {
    const now = performance.now();
    const speed = Math.abs(top() - lastTop) / Math.max(1, now - lastTime);
    [lastTop, lastTime] = [top(), now];
    if (speed > FAST_SPEED) isFast.set(true);
    clearTimeout(settleTimer);
    settleTimer = setTimeout(() => isFast.set(false), SETTLE_MS);
  }

  function onScroll(): void {
    measureSpeed();
    updateView();
    for (const listener of listeners) listener();
  }

  function measure(): void {
    if (!scrolled || !body) return;
    margin = body.offsetTop;
    width.set(body.clientWidth);
    updateView();
    for (const listener of listeners) listener();
  }

  return {
    view,
    width,
    isFast,
    attach(element, inner) {
      [scrolled, body] = [element, inner];
      element.addEventListener('scroll', onScroll, { passive: true });
      const observer = new ResizeObserver(measure);
      observer.observe(element);
      for (const child of element.children) if (child !== inner) observer.observe(child);
      observer.observe(inner);
      measure();
      return () => {
        observer.disconnect();
        element.removeEventListener('scroll', onScroll);
        clearTimeout(settleTimer);
        [scrolled, body] = [undefined, undefined];
      };
    },
    element: () => scrolled,
    top,
    height: () => scrolled?.clientHeight ?? 0,
    margin: () => margin,
    scrollTo(y) {
      if (!scrolled) return;
      scrolled.scrollTop = y <= 0 ? 0 : y + margin;
      updateView();
    },
    reveal(from, to) {
      if (!scrolled) return;
      const room = 64;
      const height = scrolled.clientHeight;
      if (from < top() + room) this.scrollTo(from - room);
      else if (to > top() + height - room / 2) this.scrollTo(to - height + room / 2);
    },
    onScroll(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
