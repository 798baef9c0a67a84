import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import { toSeconds } from '../../../core/rational.ts';
import { useStore } from '../../base/store.ts';
import { formatClock } from '../../parts/moments/entries.ts';
import { dragged } from './dragged.ts';
import { EntryBlock, ROW_HEIGHT } from './entry-block.tsx';
import {
  type Entry,
  type Film,
  formatTimecode,
  listSoundRows,
  listTracks,
  toNearestFrame,
} from './film.ts';
import { listSnapTimes, type SnapTime } from './snap.ts';
import type { Editor } from './use-editor.ts';
import styles from './timeline.module.css';
import { t } from '../../base/i18n.ts';

/** Pixels for a second. */
const MIN_ZOOM = 2;
const MAX_ZOOM = 240;
/** Beyond the end of the film, to put something there. */
const SPACE_SECONDS = 20;

export function Timeline({ editor }: { editor: Editor }) {
  const { film, length, playhead, project } = editor;
  const isDragged = useStore(dragged, (add) => add !== undefined);
  const [zoom, setZoom] = useState(40);
  const width = (toSeconds(length) + SPACE_SECONDS) * zoom;
  const shared = { editor, zoom, snapTimes: listSnapTimes(film, playhead) };
  return (
    <section
      className={styles.timeline}
      aria-label={t('Timeline')}
      data-takes={isDragged || undefined}
      onDragOver={(event) => {
        if (isDragged) event.preventDefault();
      }}
      onDrop={(event) => {
        event.preventDefault();
        dragged.get()?.();
      }}
    >
      <label className={styles.zoom}>
        {t('Zoom')}
        <input
          type="range"
          min={Math.log2(MIN_ZOOM)}
          max={Math.log2(MAX_ZOOM)}
          step={0.25}
          value={Math.log2(zoom)}
          onChange={({ target }) => setZoom(2 ** Number(target.value))}
        />
      </label>
      <div className={styles.scroller}>
        <div className={styles.rows} style={{ width }}>
          <Ruler editor={editor} zoom={zoom} />
          <Row name={t('Titles')} row="titles" entries={film.titles} {...shared} />
          {listTracks(film).map((track) => (
            <Row
              key={track}
              name={t('Track {number}', { number: track + 1 })}
              row={track}
              entries={film.clips.filter((clip) => clip.track === track)}
              {...shared}
            />
          ))}
          <SoundRows {...shared} />
          <div
            className={styles.playhead}
            style={{ transform: `translateX(${toSeconds(playhead) * zoom}px)` }}
          />
        </div>
      </div>
      {project.canEdit && isEmpty(film) && (
        <p className={styles.dropZone}>{t('Drop videos and photos here, or press one.')}</p>
      )}
    </section>
  );
}

const isEmpty = ({ clips, titles, sounds }: Film): boolean =>
  clips.length + titles.length + sounds.length === 0;

type Shared = { editor: Editor; zoom: number; snapTimes: readonly SnapTime[] };

type RowProps = Shared & {
  name: string;
  /** The track, or 'titles'. */
  row: number | 'titles';
  entries: readonly Entry[];
};

function Row({ name, row, entries, ...shared }: RowProps) {
  return (
    <ul className={styles.row} aria-label={name} data-row={row}>
      {entries.map((entry) => (
        <EntryBlock key={entry.id} entry={entry} {...shared} />
      ))}
    </ul>
  );
}

/** One list, so that a sound that is dragged past others is not drawn anew. */
function SoundRows(shared: Shared) {
  const { film } = shared.editor;
  const rows = listSoundRows(film);
  return (
    <ul
      className={styles.row}
      style={{ height: Math.max(1, rows.length) * ROW_HEIGHT }}
      aria-label={t('Sounds')}
      data-row="sounds"
    >
      {film.sounds.map((sound) => (
        <EntryBlock
          key={sound.id}
          entry={sound}
          lane={rows.findIndex((row) => row.includes(sound))}
          {...shared}
        />
      ))}
    </ul>
  );
}

/** Moves the playhead: by pointer here, by the arrow keys everywhere in the editor. */
function Ruler({ editor, zoom }: { editor: Editor; zoom: number }) {
  const { film, length, playhead, seek } = editor;
  const follow = (event: PointerEvent<HTMLDivElement>) => {
    if (event.buttons !== 1) return;
    const { left } = event.currentTarget.getBoundingClientRect();
    seek(toNearestFrame(film, Math.max(0, event.clientX - left) / zoom));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const pages: Record<string, number> = { PageUp: 10, PageDown: -10 };
    const seconds = pages[event.key];
    if (seconds === undefined) return;
    event.preventDefault();
    seek(toNearestFrame(film, toSeconds(playhead) + seconds));
  };
  const every = getMarkSeconds(zoom);
  const marks = Math.ceil((toSeconds(length) + SPACE_SECONDS) / every);
  return (
    <div
      className={styles.ruler}
      role="slider"
      tabIndex={0}
      aria-label={t('Playhead')}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, toSeconds(length))}
      aria-valuenow={toSeconds(playhead)}
      aria-valuetext={formatTimecode(film, playhead)}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        follow(event);
      }}
      onPointerMove={follow}
    >
      {Array.from({ length: marks }, (_, at) => (
        <span key={at} style={{ left: at * every * zoom }}>
          {formatClock(at * every * 1000)}
        </span>
      ))}
    </div>
  );
}

const MARK_SECONDS = [1, 2, 5, 10, 30, 60, 300];
const MIN_MARK_PIXELS = 70;

const getMarkSeconds = (zoom: number): number =>
  MARK_SECONDS.find((seconds) => seconds * zoom >= MIN_MARK_PIXELS) ?? 600;
