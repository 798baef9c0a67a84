import { useQuery } from '@tanstack/react-query';
import { type PointerEvent, useRef } from 'react';
import { rational, type Rational, toSeconds } from '../../core/rational.ts';
import { getPictureUrl } from '../pictures.ts';
import type { Asset } from '../types.ts';
import { assetQuery } from '../viewer/queries.ts';
import { getSourceOut, move, type SourceLength, trimEnd, trimStart } from './edits.ts';
import { getFadeIn, getFadeOut } from './fades.ts';
import {
  type Entry,
  formatTimecode,
  getEnd,
  getLength,
  getStart,
  isClip,
  isPart,
  toFrameNumber,
} from './film.ts';
import { PartPicture } from './part-picture.tsx';
import { type SnapTime, snap, snapSpan } from './snap.ts';
import type { Editor } from './use-editor.ts';
import styles from './editor.module.css';
import { t } from '../i18n.ts';

type Props = {
  editor: Editor;
  entry: Entry;
  /** Pixels for a second. */
  zoom: number;
  snapTimes: readonly SnapTime[];
  /** Row of a sound, from 0. */
  lane?: number | undefined;
};

/** Pixels of a row. */
export const ROW_HEIGHT = 52;

/** A clip, title or sound in its row: it is moved by pointer, and trimmed at its edges. */
export function EntryBlock({ editor, entry, zoom, snapTimes, lane = 0 }: Props) {
  const { film, selected, select, project } = editor;
  const { data: asset } = useClipAsset(entry);
  const drag = useDrag({ editor, entry, zoom, snapTimes }, getSourceLength(asset, entry));
  const name = isPart(entry) ? (asset?.originalFileName ?? t('Clip')) : entry.text;
  const from = formatTimecode(film, getStart(entry));
  const to = formatTimecode(film, getEnd(entry));
  return (
    // The later clip of a crossfade lies above.
    <li
      style={{
        left: toSeconds(getStart(entry)) * zoom,
        marginTop: lane * ROW_HEIGHT,
        zIndex: toFrameNumber(film, getStart(entry)),
      }}
    >
      <button
        type="button"
        className={styles.block}
        style={{
          width: toSeconds(getLength(entry)) * zoom,
          backgroundImage: isClip(entry)
            ? `url("${getPictureUrl(entry.assetId, 'thumbnail', asset?.thumbhash)}")`
            : undefined,
        }}
        aria-pressed={selected?.id === entry.id}
        aria-label={t('{name}, {from} to {to}', { name, from, to })}
        onClick={() => select(entry.id)}
        {...(project.canEdit && drag)}
      >
        {isPart(entry) && asset?.type === 'VIDEO' && <PartPicture part={entry} zoom={zoom} />}
        <span className={styles.fade} style={{ width: toSeconds(getFadeIn(entry)) * zoom }} />
        <span
          className={styles.fade}
          data-side="end"
          style={{ width: toSeconds(getFadeOut(entry)) * zoom }}
        />
        {project.canEdit && <span className={styles.handle} data-edge="start" />}
        <span className={styles.blockName}>{name}</span>
        {project.canEdit && <span className={styles.handle} data-edge="end" />}
      </button>
    </li>
  );
}

export const useClipAsset = (entry: Entry | undefined) =>
  useQuery({
    ...assetQuery(entry && isPart(entry) ? entry.assetId : ''),
    enabled: entry !== undefined && isPart(entry),
    staleTime: Infinity,
  });

/** Returns how long the source of an entry is; undefined for pictures and titles. */
export function getSourceLength(asset: Asset | undefined, entry: Entry | undefined): SourceLength {
  if (!entry || !isPart(entry) || asset?.type === 'IMAGE') return undefined;
  // Until that is known it has what is shown of it.
  return asset?.duration ? rational(BigInt(asset.duration), 1000n) : getSourceOut(entry);
}

type Drag = { x: number; edge: string | undefined; gesture: string; entry: Entry };
/** So far a pointer may move in a click. */
const CLICK_PIXELS = 3;

function useDrag({ editor, entry, zoom, snapTimes }: Props, source: SourceLength) {
  const drag = useRef<Drag>(undefined);
  return {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      const { edge } = (event.target as HTMLElement).dataset;
      const { clientX: x } = event;
      drag.current = { x, edge, gesture: crypto.randomUUID(), entry };
      editor.select(entry.id);
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      const begun = drag.current;
      if (!begun || Math.abs(event.clientX - begun.x) < CLICK_PIXELS) return;
      const { id } = begun.entry;
      const movement = { film: editor.film, times: snapTimes, id, zoom };
      const seconds = (event.clientX - begun.x) / zoom;
      if (begun.edge === undefined) {
        const length = toSeconds(getLength(begun.entry));
        const to = snapSpan(toSeconds(getStart(begun.entry)) + seconds, length, movement);
        editor.edit((film) => move(film, id, to, findTrack(event)), begun.gesture);
        return;
      }
      const edge: Rational = begun.edge === 'start' ? getStart(begun.entry) : getEnd(begun.entry);
      const to = snap(toSeconds(edge) + seconds, movement);
      const trim = begun.edge === 'start' ? trimStart : trimEnd;
      editor.edit((film) => trim(film, id, to, source), begun.gesture);
    },
    onPointerUp: () => void (drag.current = undefined),
    onPointerCancel: () => void (drag.current = undefined),
  };
}

/** Returns the track below the pointer. */
function findTrack({ clientX, clientY }: PointerEvent): number | undefined {
  const row = document
    .elementsFromPoint(clientX, clientY)
    .find((element) => element instanceof HTMLElement && element.dataset['row'] !== undefined);
  const track = Number((row as HTMLElement | undefined)?.dataset['row']);
  return Number.isInteger(track) ? track : undefined;
}
