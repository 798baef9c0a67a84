import { useQuery } from '@tanstack/react-query';
import { toSeconds } from '../../../core/rational.ts';
import { getPictureUrl } from '../../base/pictures.ts';
import type { Asset } from '../../data/types.ts';
import { assetQuery } from '../../data/viewer/queries.ts';
import { startDrag } from './drag.ts';
import { getSourceOut, type SourceLength } from './edits.ts';
import { getFadeIn, getFadeOut } from './fades.ts';
import {
  type Entry,
  formatTimecode,
  fromMilliseconds,
  getEnd,
  getLength,
  getStart,
  isClip,
  isMediaEntry,
  toFrameNumber,
} from './film.ts';
import { PartPicture } from './part-picture.tsx';
import type { SnapTime } from './snap.ts';
import type { Editor } from './use-editor.ts';
import styles from './timeline.module.css';
import { t } from '../../base/i18n.ts';

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
  const { film, selected, select, project, unavailable } = editor;
  const { data: asset, isError } = useClipAsset(entry);
  const source = getSourceLength(asset, entry);
  const isBroken = isMediaEntry(entry) && unavailable.has(entry.assetId);
  const fileName = isError ? undefined : asset?.originalFileName;
  const name = isMediaEntry(entry) ? (fileName ?? t('Clip')) : entry.text;
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
        data-part="block"
        className={styles.block}
        style={{
          width: toSeconds(getLength(entry)) * zoom,
          backgroundImage: isClip(entry)
            ? `url("${getPictureUrl(entry.assetId, 'thumbnail', asset?.thumbhash)}")`
            : undefined,
        }}
        aria-pressed={selected?.id === entry.id}
        data-broken={isBroken || undefined}
        aria-label={
          isBroken
            ? t('{name}, {from} to {to}, not available', { name, from, to })
            : t('{name}, {from} to {to}', { name, from, to })
        }
        onClick={() => select(entry.id)}
        onPointerDown={(event) => {
          if (project.canEdit) startDrag({ editor, entry, zoom, snapTimes, source }, event);
        }}
      >
        {isMediaEntry(entry) && asset?.type === 'VIDEO' && <PartPicture part={entry} zoom={zoom} />}
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
    ...assetQuery(entry && isMediaEntry(entry) ? entry.assetId : ''),
    enabled: entry !== undefined && isMediaEntry(entry),
    staleTime: Infinity,
  });

/** Returns how long the source of an entry is; undefined for pictures and titles. */
export function getSourceLength(asset: Asset | undefined, entry: Entry | undefined): SourceLength {
  if (!entry || !isMediaEntry(entry) || asset?.type === 'IMAGE') return undefined;
  // Until that is known it has what is shown of it.
  return asset?.duration ? fromMilliseconds(asset.duration) : getSourceOut(entry);
}
