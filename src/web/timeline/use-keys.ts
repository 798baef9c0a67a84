import { move, MOVES, settle } from './keyboard.ts';
import type { Scroller } from './scroller.ts';
import { type Place, findPlace, type Plan, getRowSpan } from './sections.ts';
import type { Timeline } from './timeline-data.ts';
import { useKeyListener } from '../ui/use-key-listener.ts';
import { useLatest } from '../ui/use-latest.ts';
import { firstInView } from './use-plan.ts';

type Options = {
  plan: Plan;
  scroller: Scroller;
  timeline: Timeline;
  /** The picture that has or had the focus. */
  current: string | undefined;
  setCurrent: (id: string) => void;
  onOpen: (id: string) => void;
  onToggle: (id: string) => void;
  onEscape: () => void;
  isOff: boolean;
};

/** Arrow keys, Home, End, PageUp, PageDown, Enter, Space and Escape in the grid of pictures. */
export function useKeys(options: Options): { focusOn: (id: string) => void } {
  const latest = useLatest(options);
  useKeyListener((event) => {
    const { isOff } = options;
    if (isOff || event.altKey || event.ctrlKey || event.metaKey || !belongsToGrid(options, event))
      return;
    if (handle(options, event.key, latest)) event.preventDefault();
  });

  return { focusOn: (id) => void focusOn(latest.current, id) };
}

/** Keys belong to the grid when the focus is in it, or nowhere. */
function belongsToGrid({ scroller }: Options, { target }: KeyboardEvent): boolean {
  if (document.querySelector('dialog[open]')) return false;
  if (target === document.body) return true;
  const element = scroller.element();
  if (!element || !(target instanceof HTMLElement)) return false;
  if (target.closest('input, textarea, select, [role=slider]')) return false;
  return target === element || (element.contains(target) && target.dataset['id'] !== undefined);
}

function handle(now: Options, key: string, latest: { current: Options }): boolean {
  const towards = MOVES[key];
  if (towards) {
    if (now.plan.sections.length === 0) return false;
    const from = now.current === undefined ? undefined : findPlace(now.plan, now.current);
    const target = from
      ? move(now.plan, from, towards, now.scroller.height())
      : getStart(now, towards);
    void goTo(latest, target);
    return true;
  }
  if (key === 'Escape') {
    now.onEscape();
    return true;
  }
  if (now.current === undefined) return false;
  if (key === ' ') now.onToggle(now.current);
  else if (key === 'Enter') now.onOpen(now.current);
  else return false;
  return true;
}

const getStart = (now: Options, towards: string): Place =>
  towards === 'last' || towards === 'first'
    ? move(now.plan, { section: 0, item: 0 }, towards, 0)
    : firstInView(now.plan, now.scroller);

/** Loads the month if it must, then shows and focuses the picture. */
async function goTo(latest: { current: Options }, target: Place): Promise<void> {
  const { plan, timeline, scroller } = latest.current;
  const key = plan.sections[target.section]?.month.key;
  if (key === undefined) return;
  if (!plan.sections[target.section]!.rows) {
    const { top } = getRowSpan(plan, target);
    scroller.reveal(top, top);
    await timeline.loadMonth(key);
    await nextFrame();
  }
  const now = latest.current;
  const section = now.plan.sections.findIndex(({ month }) => month.key === key);
  if (section < 0) return;
  const place = settle(now.plan, { section, item: target.item });
  const id = now.plan.sections[section]!.month.columns?.id[place.item];
  if (id !== undefined) await focusOn(now, id);
}

async function focusOn(now: Options, id: string): Promise<void> {
  const place = findPlace(now.plan, id);
  if (!place) return;
  const { top, bottom } = getRowSpan(now.plan, place);
  now.scroller.reveal(top, bottom);
  now.setCurrent(id);
  await nextFrame();
  now.scroller
    .element()
    ?.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`)
    ?.focus({ preventScroll: true });
}

const nextFrame = () => new Promise<void>((done) => requestAnimationFrame(() => done()));
