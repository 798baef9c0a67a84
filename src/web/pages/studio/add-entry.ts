import { rational, type Rational, subtract, toWire, ZERO } from '../../../core/rational.ts';
import { showToast } from '../../ui/toast.tsx';
import { queryClient } from '../../base/query-client.ts';
import { momentsQuery } from '../../data/moments/queries.ts';
import type { Found } from '../../data/search/results.ts';
import { insert } from './edits.ts';
import {
  type Entry,
  findEntry,
  floorToFrame,
  fromMilliseconds,
  getEnd,
  getFrameLength,
  max,
  min,
} from './film.ts';
import type { Scene } from '../../data/studio/queries.ts';
import type { Editor } from './use-editor.ts';
import { SPLIT_REFUSALS } from './words.ts';

/** Puts an entry into the film and selects it; says so if there is no room. */
export function addEntry({ film, edit, select }: Editor, entry: Entry): void {
  if (!findEntry(insert(film, entry), entry.id)) return showToast(SPLIT_REFUSALS.full);
  edit((film) => insert(film, entry));
  select(entry.id);
}

/** Time for which a picture shows, and a moment that does not last. */
const STILL = rational(4n);

/** Adds a photo, or a whole video. */
export const addItem = (editor: Editor, { id, type, duration }: Found): void =>
  append(editor, id, ZERO, type === 'VIDEO' && duration ? fromMilliseconds(duration) : STILL);

/** Adds the part of a video that a moment is about. */
export async function addScene(editor: Editor, scene: Scene): Promise<void> {
  const { moments, durationMs } = await queryClient.fetchQuery(momentsQuery(scene.assetId));
  const moment = moments.find(({ id }) => id === scene.momentId);
  const isLasting = moment && moment.endMs > moment.startMs;
  const length = isLasting ? fromMilliseconds(moment.endMs - moment.startMs) : STILL;
  const wanted = fromMilliseconds(moment?.startMs ?? scene.timeMs);
  if (durationMs === null) return append(editor, scene.assetId, wanted, length);
  // A frame that is marked at the end of the video is its last one.
  const last = max(ZERO, subtract(fromMilliseconds(durationMs), getFrameLength(editor.film)));
  const begin = min(wanted, last);
  append(editor, scene.assetId, begin, min(length, subtract(fromMilliseconds(durationMs), begin)));
}

/** Puts a part of an item at the end of the lowest track. */
function append(editor: Editor, assetId: string, sourceIn: Rational, length: Rational): void {
  const { film } = editor;
  const start = film.clips
    .filter(({ track }) => track === 0)
    .map(getEnd)
    .reduce(max, ZERO);
  const duration = max(floorToFrame(film, length), getFrameLength(film));
  const times = { start: toWire(start), duration: toWire(duration), sourceIn: toWire(sourceIn) };
  addEntry(editor, { id: crypto.randomUUID(), assetId, track: 0, ...times });
}
