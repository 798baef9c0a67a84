import {
  ArrowDownToLine,
  ArrowUpToLine,
  ChevronFirst,
  ChevronLast,
  ChevronLeft,
  ChevronRight,
  Pause,
  Play,
  Redo2,
  Scissors,
  SquareDashed,
  Trash2,
  Type,
  Undo2,
  Volume2,
  VolumeX,
} from 'lucide-react';
import { rational, toWire, ZERO } from '../../../core/rational.ts';
import { showToast } from '../../ui/toast.tsx';
import { useStore } from '../../base/store.ts';
import { IconButton } from '../../ui/elements.tsx';
import { addEntry } from './add-entry.ts';
import { findSplitRefusal, remove, split } from './edits.ts';
import { type Entry, formatTimecode, isClip, type Title } from './film.ts';
import { isFilmMuted, muteFilms } from './sound-player.ts';
import { findTrackRefusal, moveToTrack, type TrackStep } from './tracks.ts';
import type { Editor } from './use-editor.ts';
import { describeEmptiness, SPLIT_REFUSALS, TRACK_REFUSALS } from './words.ts';
import styles from './editor.module.css';
import { t } from '../../base/i18n.ts';

/** Moves the playhead, and edits what is selected or lies below it. */
export function Toolbar({ editor }: { editor: Editor }) {
  const { film, length, playhead, project } = editor;
  return (
    <div className={styles.toolbar} role="toolbar" aria-label={t('Editing')}>
      <div className={styles.transport} role="group" aria-label={t('Playback')}>
        <IconButton
          icon={ChevronFirst}
          label={t('To the start')}
          onClick={() => editor.seek(ZERO)}
        />
        <IconButton
          icon={ChevronLeft}
          label={t('Previous frame')}
          onClick={() => editor.step(-1)}
        />
        <PlayButton editor={editor} />
        <IconButton icon={ChevronRight} label={t('Next frame')} onClick={() => editor.step(1)} />
        <IconButton
          icon={ChevronLast}
          label={t('To the end')}
          onClick={() => editor.seek(length)}
        />
        <SoundButton />
        <output className={styles.timecode} aria-label={t('Time')}>
          {formatTimecode(film, playhead)} / {formatTimecode(film, length)}
        </output>
      </div>
      {project.canEdit && <EditButtons editor={editor} />}
    </div>
  );
}

function PlayButton({ editor: { film, playback } }: { editor: Editor }) {
  const { state, isPlaying, toggle } = playback;
  const emptiness = describeEmptiness(film);
  return (
    <IconButton
      className={styles.play}
      icon={isPlaying ? Pause : Play}
      label={isPlaying ? t('Pause') : t('Play')}
      aria-busy={state.status === 'starting'}
      disabled={emptiness !== undefined}
      {...(emptiness && { title: emptiness })}
      onClick={toggle}
    />
  );
}

function SoundButton() {
  const isMuted = useStore(isFilmMuted);
  return (
    <IconButton
      icon={isMuted ? VolumeX : Volume2}
      label={isMuted ? t('Sound on') : t('Sound off')}
      onClick={() => muteFilms(!isMuted)}
    />
  );
}

function EditButtons({ editor }: { editor: Editor }) {
  const { selected, canUndo, canRedo } = editor;
  const refusal = getSplitRefusal(editor);
  return (
    <>
      <span className={styles.space} />
      <IconButton icon={Undo2} label={t('Undo')} disabled={!canUndo} onClick={editor.undo} />
      <IconButton icon={Redo2} label={t('Redo')} disabled={!canRedo} onClick={editor.redo} />
      <IconButton icon={Type} label={t('Add a title')} onClick={() => addTitle(editor)} />
      <IconButton
        icon={Scissors}
        label={t('Split at the playhead')}
        disabled={!selected || refusal !== undefined}
        {...(refusal && { title: refusal })}
        onClick={() => splitSelected(editor)}
      />
      <TrackButton editor={editor} step={1} />
      <TrackButton editor={editor} step={-1} />
      <IconButton
        icon={Trash2}
        label={t('Remove from the film')}
        disabled={!selected}
        title={t('Remove from the film (Delete)')}
        onClick={() => removeSelected(editor)}
      />
      <IconButton
        icon={SquareDashed}
        label={t('Remove and leave a gap')}
        title={t('Remove and leave a gap (Shift+Delete)')}
        disabled={!selected || !closesGap(selected)}
        onClick={() => removeSelected(editor, true)}
      />
    </>
  );
}

const TRACK_BUTTONS = {
  '1': { icon: ArrowUpToLine, label: t('Move to the track above'), key: '↑' },
  '-1': { icon: ArrowDownToLine, label: t('Move to the track below'), key: '↓' },
} as const;

function TrackButton({ editor, step }: { editor: Editor; step: TrackStep }) {
  const { film, selected } = editor;
  const { icon, label, key } = TRACK_BUTTONS[step];
  const refusal = selected && findTrackRefusal(film, selected, step);
  return (
    <IconButton
      icon={icon}
      label={label}
      title={refusal ? TRACK_REFUSALS[refusal] : `${label} (Alt+${key})`}
      disabled={!selected || refusal !== undefined}
      onClick={() => moveSelectedToTrack(editor, step)}
    />
  );
}

export function moveSelectedToTrack({ film, selected, edit }: Editor, step: TrackStep): void {
  if (!selected) return;
  const refusal = findTrackRefusal(film, selected, step);
  if (refusal) showToast(TRACK_REFUSALS[refusal]);
  else edit((film) => moveToTrack(film, selected.id, step));
}

const TITLE_LENGTH = toWire(rational(3n));

function addTitle(editor: Editor): void {
  const title: Title = {
    id: crypto.randomUUID(),
    text: t('Title'),
    start: toWire(editor.playhead),
    duration: TITLE_LENGTH,
    x: 0.5,
    y: 0.5,
    size: 0.1,
  };
  addEntry(editor, title);
}

/** Says why the selected entry cannot be split at the playhead; undefined if it can, or nothing is selected. */
function getSplitRefusal({ film, selected, playhead }: Editor): string | undefined {
  const refusal = selected && findSplitRefusal(film, selected, playhead);
  return refusal && SPLIT_REFUSALS[refusal];
}

export function splitSelected(editor: Editor): void {
  const { selected, edit, playhead } = editor;
  const refusal = getSplitRefusal(editor);
  if (refusal) showToast(refusal);
  else if (selected) edit((film) => split(film, selected.id, playhead));
}

/** Whether its removal closes the gap, which would be black: titles, sounds and clips above others leave none. */
const closesGap = (entry: Entry): boolean => isClip(entry) && entry.track === 0;

/** Removes an entry; what comes after a clip of the lowest track moves up, unless it is to leave a gap. */
export function removeSelected({ selected, edit, select }: Editor, leavesGap = false): void {
  if (!selected) return;
  edit((film) => remove(film, selected.id, closesGap(selected) && !leavesGap));
  select(undefined);
}
