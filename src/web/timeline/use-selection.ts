import { type DragEvent, type MouseEvent, type PointerEvent, useRef, useState } from 'react';
import { dragPhotos, endDrag } from '../tags/dragging.ts';
import { useLatest } from '../ui/use-latest.ts';
import { findPlace, type Plan } from './sections.ts';
import {
  extendSelection,
  listMonthsBetween,
  EMPTY_SELECTION,
  type Selection,
  toggleSelected,
  toggleAllSelected,
} from './selection.ts';
import type { Timeline } from './timeline-data.ts';

const LONG_PRESS_MS = 450;
const MOVED = 10;

/** Clicks, shift-clicks and long presses in the grid. */
export function useSelection(plan: Plan, timeline: Timeline, onOpen: (id: string) => void) {
  const [selection, setSelection] = useState<Selection>(EMPTY_SELECTION);
  const latest = useLatest(plan);
  const press = useRef<{
    timer?: ReturnType<typeof setTimeout>;
    x: number;
    y: number;
    done: boolean;
  }>({
    x: 0,
    y: 0,
    done: false,
  });

  async function extendTo(id: string): Promise<void> {
    const now = latest.current;
    const to = findPlace(now, id);
    if (!to) return;
    const from = selection.from === undefined ? undefined : findPlace(now, selection.from);
    await timeline.loadMonths(listMonthsBetween(now, from ?? to, to));
    // The plan knows the loaded months only after the next drawing.
    requestAnimationFrame(() => {
      const target = findPlace(latest.current, id);
      if (target) setSelection((old) => extendSelection(old, latest.current, target));
    });
  }

  function choose(id: string, isRange: boolean): void {
    if (isRange) void extendTo(id);
    else setSelection((old) => toggleSelected(old, id));
  }

  function onClick(event: MouseEvent): void {
    const element = event.target as HTMLElement;
    if (press.current.done) {
      press.current.done = false;
      event.preventDefault();
      return;
    }
    const check = element.closest<HTMLElement>('[data-check]')?.dataset['check'];
    if (check) return choose(check, event.shiftKey);
    const month = element.closest<HTMLElement>('[data-month]')?.dataset['month'];
    if (month) {
      const ids = latest.current.sections.find((section) => section.month.key === month)?.month
        .columns?.id;
      return setSelection((old) => toggleAllSelected(old, ids ?? []));
    }
    const id = element.closest<HTMLElement>('[data-id]')?.dataset['id'];
    if (!id || event.ctrlKey || event.metaKey || event.button !== 0) return;
    event.preventDefault();
    if (selection.ids.size > 0 || event.shiftKey) choose(id, event.shiftKey);
    else onOpen(id);
  }

  function cancelPress(): void {
    clearTimeout(press.current.timer);
  }

  const handlers = {
    onClick,
    onPointerDown(event: PointerEvent) {
      cancelPress();
      press.current.done = false;
      if (event.pointerType !== 'touch') return;
      const id = (event.target as HTMLElement).closest<HTMLElement>('[data-id]')?.dataset['id'];
      if (!id) return;
      const timer = setTimeout(() => {
        press.current.done = true;
        navigator.vibrate?.(15);
        setSelection((old) => toggleSelected(old, id));
      }, LONG_PRESS_MS);
      press.current = { timer, x: event.clientX, y: event.clientY, done: false };
    },
    onPointerMove(event: PointerEvent) {
      const { x, y } = press.current;
      if (Math.hypot(event.clientX - x, event.clientY - y) > MOVED) cancelPress();
    },
    onDragStart(event: DragEvent) {
      const id = (event.target as HTMLElement).closest<HTMLElement>('[data-id]')?.dataset['id'];
      if (id && selection.ids.has(id)) dragPhotos(event, selection.ids.size);
    },
    onDragEnd: endDrag,
    onPointerUp: cancelPress,
    onPointerCancel: cancelPress,
    onContextMenu(event: MouseEvent) {
      if ((event.nativeEvent as globalThis.PointerEvent).pointerType === 'touch')
        event.preventDefault();
    },
  };

  return {
    selection,
    handlers,
    clear: () => setSelection(EMPTY_SELECTION),
    toggleOne: (id: string) => setSelection((old) => toggleSelected(old, id)),
  };
}
