import type { PointerEvent } from 'react';
import { toSeconds } from '../../../core/rational.ts';
import { move, type SourceLength, trimEnd, trimStart } from './edits.ts';
import { type Entry, getEnd, getLength, getStart } from './film.ts';
import { type SnapTime, snap, snapSpan } from './snap.ts';
import type { Editor } from './use-editor.ts';

/** So far a pointer may move in a click. */
const CLICK_PIXELS = 3;

type Dragged = {
  readonly editor: Editor;
  readonly entry: Entry;
  /** Pixels for a second. */
  readonly zoom: number;
  readonly snapTimes: readonly SnapTime[];
  readonly source: SourceLength;
};

/** Moves or trims an entry with the pointer until that is released, wherever the entry is shown meanwhile. */
export function startDrag(dragged: Dragged, event: PointerEvent<HTMLElement>): void {
  if (event.button !== 0) return;
  const { clientX, clientY, pointerId } = event;
  const { edge } = (event.target as HTMLElement).dataset;
  const findTrack = createTrackFinder();
  const gesture = crypto.randomUUID();
  const ended = new AbortController();
  let isMoved = false;
  dragged.editor.select(dragged.entry.id);

  const follow = (event: globalThis.PointerEvent) => {
    if (event.pointerId !== pointerId) return;
    const across = event.clientX - clientX;
    isMoved ||= Math.max(Math.abs(across), Math.abs(event.clientY - clientY)) >= CLICK_PIXELS;
    if (!isMoved) return;
    const edit = edge
      ? trimBy(dragged, edge, across)
      : moveBy(dragged, across, findTrack(event.clientY));
    dragged.editor.edit(edit, gesture);
  };
  const end = (event: globalThis.PointerEvent) => {
    if (event.pointerId === pointerId) ended.abort();
  };
  const { signal } = ended;
  window.addEventListener('pointermove', follow, { signal });
  window.addEventListener('pointerup', end, { signal });
  window.addEventListener('pointercancel', end, { signal });
}

function moveBy({ editor, entry, snapTimes, zoom }: Dragged, across: number, track?: number) {
  const movement = { film: editor.film, times: snapTimes, id: entry.id, zoom };
  const seconds = toSeconds(getStart(entry)) + across / zoom;
  const to = snapSpan(seconds, toSeconds(getLength(entry)), movement);
  return (film: Editor['film']) => move(film, entry.id, to, track);
}

function trimBy({ editor, entry, snapTimes, zoom, source }: Dragged, edge: string, across: number) {
  const movement = { film: editor.film, times: snapTimes, id: entry.id, zoom };
  const [from, trim] = edge === 'start' ? [getStart(entry), trimStart] : [getEnd(entry), trimEnd];
  const to = snap(toSeconds(from) + across / zoom, movement);
  return (film: Editor['film']) => trim(film, entry.id, to, source);
}

/**
 * Returns what finds the track at a height; beside the tracks, the one found last. They are those of now: a track
 * that is added above the others moves all down, and the pointer would be above it again.
 */
function createTrackFinder(): (y: number) => number | undefined {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')].flatMap((row) => {
    const track = Number(row.dataset['row']);
    const { top, bottom } = row.getBoundingClientRect();
    return Number.isInteger(track) ? [{ track, top, bottom }] : [];
  });
  let last: number | undefined;
  return (y) => {
    last = rows.find(({ top, bottom }) => top <= y && y < bottom)?.track ?? last;
    return last;
  };
}
