import { Music } from 'lucide-react';
import { compare, subtract, toWire, ZERO } from '../../../core/rational.ts';
import { formatDay } from '../../base/format.ts';
import type { Found } from '../../data/search/results.ts';
import { addEntry } from './add-entry.ts';
import { floorToFrame, fromMilliseconds, getFilmLength, getFrameLength, max, min } from './film.ts';
import type { Editor } from './use-editor.ts';
import styles from './editor.module.css';
import { t } from '../../base/i18n.ts';

/** Adds the sound of a video at the playhead. */
export function AddSound({ editor, item }: { editor: Editor; item: Found }) {
  const label = t('Add the sound of Video, {day}', {
    day: formatDay(new Date(item.localDateTime)),
  });
  return (
    <button
      type="button"
      className={styles.addSound}
      aria-label={label}
      title={label}
      onClick={() => addSound(editor, item)}
    >
      <Music size={14} aria-hidden />
    </button>
  );
}

/** It ends with the film, which later sounds do not make longer. */
function addSound(editor: Editor, { id: assetId, duration }: Found): void {
  const { film, playhead } = editor;
  const source = floorToFrame(film, fromMilliseconds(duration ?? 0));
  const rest = subtract(getFilmLength(film), playhead);
  const length = max(compare(rest, ZERO) > 0 ? min(source, rest) : source, getFrameLength(film));
  addEntry(editor, {
    id: crypto.randomUUID(),
    assetId,
    start: toWire(playhead),
    duration: toWire(length),
    sourceIn: toWire(ZERO),
  });
}
