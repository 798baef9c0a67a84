import { type DragEvent, type MouseEvent, useRef, useState } from 'react';
import { dragPhotos, endDrag } from '../tags/dragging.ts';
import { useLatest } from '../../ui/use-latest.ts';
import type { Scroller } from '../grid/scroller.ts';
import { findPlace, type Place, type Plan } from '../../data/timeline/sections.ts';
import {
  extendSelection,
  listIdsOfDay,
  listMonthsBetween,
  EMPTY_SELECTION,
  type Selection,
  spanSelection,
  toggleSelected,
  toggleAllSelected,
} from '../grid/selection.ts';
import type { Timeline } from '../../data/timeline/timeline-data.ts';
import { useDragSelect } from '../grid/use-drag-select.ts';

/** Clicks, shift-clicks, long presses and drags in the grid. */
export function useSelection(
  plan: Plan,
  timeline: Timeline,
  scroller: Scroller,
  /** Undefined where photos are only selected. */
  onOpen: ((id: string) => void) | undefined,
) {
  const changes = useChanges(plan, timeline);
  const { selection, setSelection, latest, toggle, span, choose } = changes;
  const { wasDragged, handlers: dragHandlers } = useDragSelect(plan, scroller, {
    selected: selection.ids,
    onPress: toggle,
    onSpan: (anchor, to) => void span(anchor, to),
    onBox: (ids) => setSelection({ ids: new Set(ids), from: ids[0] }),
  });

  function onClick(event: MouseEvent): void {
    const element = event.target as HTMLElement;
    const find = (name: string) => element.closest<HTMLElement>(`[data-${name}]`)?.dataset[name];
    if (wasDragged()) return event.preventDefault();
    const check = find('check');
    if (check) return choose(check, event.shiftKey);
    const [month, day] = [find('month'), find('day')];
    if (month ?? day) {
      const now = latest.current;
      const ids = month
        ? now.sections.find((section) => section.month.key === month)?.month.columns?.id
        : listIdsOfDay(now, day ?? '');
      return setSelection((old) => toggleAllSelected(old, ids ?? []));
    }
    const id = find('id');
    if (!id || event.ctrlKey || event.metaKey || event.button !== 0) return;
    event.preventDefault();
    if (!onOpen || selection.ids.size > 0 || event.shiftKey) choose(id, event.shiftKey);
    else onOpen(id);
  }

  const handlers = {
    ...dragHandlers,
    onClick,
    onDragStart(event: DragEvent) {
      const id = (event.target as HTMLElement).closest<HTMLElement>('[data-id]')?.dataset['id'];
      if (id && selection.ids.has(id)) dragPhotos(event, selection.ids.size);
    },
    onDragEnd: endDrag,
    onContextMenu(event: MouseEvent) {
      if ((event.nativeEvent as globalThis.PointerEvent).pointerType === 'touch')
        event.preventDefault();
    },
  };
  const { clear, toggleOne, spanFrom, selectAll } = changes;
  return { selection, handlers, clear, toggleOne, spanFrom, selectAll };
}

export type GridSelection = ReturnType<typeof useSelection>;

/** The selected photos, and the ways to change them. Months are loaded for it where they must. */
function useChanges(plan: Plan, timeline: Timeline) {
  const [selection, setSelection] = useState<Selection>(EMPTY_SELECTION);
  const latest = useLatest(plan);
  /** Counts what changes the selection, also while months are loaded for it: what came before is over then. */
  const changes = useRef(0);
  const toggle = (id: string) => setSelection((old) => toggleSelected(old, id));

  async function span(anchor: string, to: Place): Promise<void> {
    const now = latest.current;
    const from = findPlace(now, anchor) ?? to;
    const number = ++changes.current;
    const [first, last] = [Math.min(from.section, to.section), Math.max(from.section, to.section)];
    const missing = now.sections.slice(first, last + 1).filter(({ rows }) => !rows);
    if (missing.length > 0) {
      await timeline.loadMonths(missing.map(({ month }) => month.key));
      await new Promise(requestAnimationFrame);
      // Meanwhile the drag or the keys have led further.
      if (number !== changes.current) return;
    }
    setSelection((old) => spanSelection(old, latest.current, anchor, to));
  }

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

  /** Selects all photos of the timeline, also those that are not loaded yet. */
  async function selectAll(): Promise<void> {
    const number = ++changes.current;
    const missing = latest.current.sections.filter(({ rows }) => !rows);
    await timeline.loadMonths(missing.map(({ month }) => month.key));
    requestAnimationFrame(() => {
      if (number !== changes.current) return;
      const ids = latest.current.sections.flatMap(({ month }) => month.columns?.id ?? []);
      setSelection({ ids: new Set(ids), from: ids[0] });
    });
  }

  return {
    selection,
    setSelection,
    latest,
    toggle,
    span,
    choose: (id: string, isRange: boolean) => (isRange ? void extendTo(id) : toggle(id)),
    clear: () => {
      changes.current++;
      setSelection(EMPTY_SELECTION);
    },
    toggleOne: (id: string) => {
      changes.current++;
      toggle(id);
    },
    /** Selects from `id`, or from where this began, to a place. */
    spanFrom: (id: string, to: Place) =>
      void span(selection.from === id ? (selection.span?.anchor ?? id) : id, to),
    selectAll: () => void selectAll(),
  };
}
