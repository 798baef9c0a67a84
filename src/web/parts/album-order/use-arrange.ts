import { type PointerEvent, type SyntheticEvent, useEffect, useRef, useState } from 'react';
import { move as step, MOVES } from '../grid/keyboard.ts';
import type { Scroller } from '../grid/scroller.ts';
import { findPlace, type Plan } from '../../data/timeline/sections.ts';
import { useKeyBindings } from '../../ui/keys.ts';
import { useLatest } from '../../ui/use-latest.ts';
import { startDrag } from './drag.ts';
import type { Move } from '../../data/album-order/queries.ts';
import { findSpot, getId } from './spot.ts';
import { t } from '../../base/i18n.ts';

type Options = {
  plan: Plan;
  scroller: Scroller;
  selected: ReadonlySet<string>;
  /** The picture that has or had the focus. */
  current: string | undefined;
  focusOn: (id: string) => void;
  /** A long press of a finger that moves nothing. */
  onPress: (id: string) => void;
  /** Undefined where the order cannot be changed. */
  onMove: ((move: Move) => void) | undefined;
  isOff: boolean;
};

const NONE = {};

/**
 * Moves pictures of a grid: with the mouse, with a finger after a long press, and with Alt and the arrow keys. Near the
 * upper and lower edge of the window the grid scrolls.
 */
export function useArrange(options: Options): { handlers: object; status: string } {
  const latest = useLatest(options);
  const { scroller, onMove } = options;
  const isDone = useRef(false);
  const isHeld = useRef(false);
  const end = useRef(() => {});
  useEffect(() => () => end.current(), []);
  useTouchLock(scroller, isHeld, onMove !== undefined);
  const status = useArrowKeys(options);
  if (!onMove) return { handlers: NONE, status };

  const handlers = {
    onPointerDownCapture(event: PointerEvent) {
      end.current();
      isDone.current = isHeld.current = false;
      const id = (event.target as HTMLElement).closest<HTMLElement>('[data-id]')?.dataset['id'];
      if (!id || event.button !== 0 || !event.isPrimary || event.shiftKey || event.ctrlKey) return;
      // A long press moves here, and selects elsewhere.
      if (event.pointerType === 'touch') event.stopPropagation();
      const { selected, plan } = latest.current;
      const ids = selected.has(id) ? listInOrder(plan, selected) : [id];
      end.current = startDrag(event, {
        scroller,
        count: ids.length,
        find: (at) => findSpot(latest.current.plan, scroller, at, ids),
        onHold: () => (isHeld.current = true),
        onEnd({ isPress, hasMoved, spot }) {
          isHeld.current = false;
          isDone.current = isPress || hasMoved;
          if (isPress) latest.current.onPress(id);
          if (spot) onMove({ ids, side: spot.side, target: spot.target });
        },
      });
    },
    /** The click that follows a drag or a long press is none. */
    onClickCapture(event: SyntheticEvent) {
      if (isDone.current) stopEvent(event);
      isDone.current = false;
    },
    onDragStartCapture: stopEvent,
  };
  return { handlers, status };
}

function stopEvent(event: SyntheticEvent): void {
  event.preventDefault();
  event.stopPropagation();
}

const listInOrder = (plan: Plan, selected: ReadonlySet<string>): string[] =>
  plan.sections.flatMap(({ month }) => month.columns?.id.filter((id) => selected.has(id)) ?? []);

/** While a finger moves pictures, it does not scroll. Where nothing is moved, scrolling waits for no listener. */
function useTouchLock(scroller: Scroller, isHeld: { current: boolean }, isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return undefined;
    const element = scroller.element();
    const hold = (event: TouchEvent) => {
      if (isHeld.current && event.cancelable) event.preventDefault();
    };
    element?.addEventListener('touchmove', hold, { passive: false });
    return () => element?.removeEventListener('touchmove', hold);
  }, [scroller, isHeld, isOn]);
}

const ARROWS = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'].map((key) => `Alt+${key}`);

const getFocused = (): string | undefined =>
  document.activeElement instanceof HTMLElement ? document.activeElement.dataset['id'] : undefined;

/** Moves the picture with the focus. Returns the announcement of the last move. */
function useArrowKeys({ plan, scroller, current, focusOn, onMove, isOff }: Options): string {
  const [status, setStatus] = useState('');
  function run({ key }: KeyboardEvent): boolean {
    const towards = MOVES[key];
    // The tab key leads to a picture that is not the current one yet.
    const id = getFocused() ?? current;
    const from = id === undefined ? undefined : findPlace(plan, id);
    if (!towards || !from || id === undefined) return false;
    const to = step(plan, from, towards, scroller.height());
    const target = getId(plan, to);
    // At an end there is nothing to do, but the key is not the browser's either.
    if (target === undefined || target === id) return true;
    onMove?.({ ids: [id], side: to.item < from.item ? 'before' : 'after', target });
    setStatus(t('Moved to place {place}', { place: to.item + 1 }));
    focusOn(id);
    return true;
  }
  const label = t('Move the photo within the album');
  useKeyBindings(t('Photos'), [{ keys: ARROWS, label, run }], onMove !== undefined && !isOff);
  return status;
}
