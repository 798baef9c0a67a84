import { move, type Move, MOVES, settle } from '../grid/keyboard.ts';
import { type KeyBinding, useKeyBindings } from '../../ui/keys.ts';
import { useLatest } from '../../ui/use-latest.ts';
import type { Scroller } from '../grid/scroller.ts';
import { type Place, findPlace, type Plan, getRowSpan } from '../../data/timeline/sections.ts';
import type { Timeline } from '../../data/timeline/timeline-data.ts';
import { firstInView } from './use-plan.ts';
import type { GridSelection } from './use-selection.ts';
import { t } from '../../base/i18n.ts';

type Options = {
  plan: Plan;
  scroller: Scroller;
  timeline: Timeline;
  /** The picture that has or had the focus. */
  current: string | undefined;
  setCurrent: (id: string) => void;
  selecting: GridSelection;
  onOpen: (id: string) => void;
  isOff: boolean;
};

/** Keys of the grid of pictures, wherever the focus is. */
export function useKeys(options: Options): { focusOn: (id: string) => void } {
  const latest = useLatest(options);
  const { current, selecting } = options;
  const steps = Object.keys(MOVES);
  const bindings: KeyBinding[] = [
    { keys: steps, label: t('Move from photo to photo'), run: ({ key }) => go(latest, key) },
    {
      keys: steps.map((key) => `Shift+${key}`),
      label: t('Extend the selection'),
      run: ({ key }) => go(latest, key, selecting.spanFrom),
    },
    {
      keys: ['Enter'],
      label: t('Open the photo'),
      run: () => {
        if (current === undefined) return false;
        return options.onOpen(current);
      },
    },
    {
      keys: ['Space'],
      label: t('Select the photo'),
      run: () => {
        if (current === undefined) return false;
        return selecting.toggleOne(current);
      },
    },
    { keys: ['Ctrl+a'], label: t('Select all'), run: selecting.selectAll },
    {
      keys: ['Escape'],
      label: t('Clear selection'),
      run: () => (selecting.selection.ids.size > 0 ? selecting.clear() : false),
    },
  ];
  useKeyBindings(t('Photos'), bindings, !options.isOff);
  return { focusOn: (id) => void focusOn(latest, id) };
}

/** Moves by a key. Returns false where there is nothing to move to. */
function go(
  latest: { current: Options },
  key: string,
  onSpan?: GridSelection['spanFrom'],
): boolean {
  const now = latest.current;
  const towards = MOVES[key];
  if (!towards || now.plan.sections.length === 0) return false;
  const from = now.current === undefined ? undefined : findPlace(now.plan, now.current);
  const target = from
    ? move(now.plan, from, towards, now.scroller.height())
    : getStart(now, towards);
  const anchor = now.current;
  void goTo(latest, target).then((place) => {
    if (place && anchor !== undefined) onSpan?.(anchor, place);
  });
  return true;
}

const getStart = (now: Options, towards: Move): Place =>
  towards === 'last' || towards === 'first'
    ? move(now.plan, { section: 0, item: 0 }, towards, 0)
    : firstInView(now.plan, now.scroller);

/** Loads the month if it must, then shows and focuses the picture. */
async function goTo(latest: { current: Options }, target: Place): Promise<Place | undefined> {
  const { plan, timeline, scroller } = latest.current;
  const start = plan.sections[target.section];
  if (!start) return undefined;
  const { key } = start.month;
  if (!start.rows) {
    const { top } = getRowSpan(plan, target);
    scroller.reveal(top, top);
    await timeline.loadMonth(key);
    await nextFrame();
  }
  const now = latest.current;
  const section = now.plan.sections.findIndex(({ month }) => month.key === key);
  if (section < 0) return undefined;
  const place = settle(now.plan, { section, item: target.item });
  const id = now.plan.sections[section]?.month.columns?.id[place.item];
  if (id === undefined) return undefined;
  await focusOn(latest, id);
  return place;
}

/** Frames within which a month that is loaded is laid out, and a row that is scrolled to is drawn. */
const MAX_FRAMES = 120;
/** The picture that gets the focus. */
let wanted: string | undefined;

async function focusOn(latest: { current: Options }, id: string): Promise<void> {
  wanted = id;
  let isRevealed = false;
  for (let frame = 0; frame < MAX_FRAMES && wanted === id; frame++) {
    const { plan, scroller, setCurrent } = latest.current;
    const place = findPlace(plan, id);
    if (place && !isRevealed) {
      const { top, bottom } = getRowSpan(plan, place);
      scroller.reveal(top, bottom);
      setCurrent(id);
      isRevealed = true;
    }
    await nextFrame();
    const tile = scroller.element()?.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`);
    if (isRevealed && tile) return tile.focus({ preventScroll: true });
  }
}

const nextFrame = () => new Promise<void>((done) => requestAnimationFrame(() => done()));
