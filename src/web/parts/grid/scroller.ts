import { createStore, type Store } from '../../base/store.ts';

/** 'quick': pictures fly by, their blurred ones are enough. 'fast': so do whole months, which are not loaded. */
export type Speed = 'slow' | 'quick' | 'fast';

/** The part of the timeline that must be drawn, in pixels from its top, a little more than seen. */
export type View = { from: number; to: number };

export type Scroller = {
  view: Store<View>;
  /** Width of the timeline in pixels; 0 before the first measurement. */
  width: Store<number>;
  speed: Store<Speed>;
  /** Takes the height of a row in px: of small pictures more fly by. */
  setRowHeight(px: number): void;
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
/** Pixels per second. */
const FAST_PX = 6000;
/** Pictures per second. */
const QUICK_PICTURES = 200;
/** Width by height of most photos. */
const RATIO = 1.4;
const SETTLE_MS = 90;

export function createScroller(): Scroller {
  const view = createStore<View>({ from: 0, to: 1200 });
  const width = createStore(0);
  const speed = createStore<Speed>('slow');
  const listeners = new Set<() => void>();
  let scrolled: HTMLElement | undefined;
  let body: HTMLElement | undefined;
  let [margin, rowHeight] = [0, 200];
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
    const [now, y] = [performance.now(), top()];
    const px = (Math.abs(y - lastTop) / Math.max(1, now - lastTime)) * 1000;
    [lastTop, lastTime] = [y, now];
    const pictures = (px * width.get()) / (RATIO * rowHeight * rowHeight);
    if (px > FAST_PX) speed.set('fast');
    else if (pictures > QUICK_PICTURES) speed.set((old) => (old === 'slow' ? 'quick' : old));
    clearTimeout(settleTimer);
    // A busy page hears late of being scrolled: just before the next frame.
    settleTimer = setTimeout(() => requestAnimationFrame(settle), SETTLE_MS);
  }

  function settle(): void {
    if (performance.now() - lastTime >= SETTLE_MS) speed.set('slow');
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
    speed,
    setRowHeight: (px) => void (rowHeight = px),
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
