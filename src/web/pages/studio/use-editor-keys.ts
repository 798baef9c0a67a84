import {
  add,
  type Rational,
  subtract,
  toRational,
  toSeconds,
  ZERO,
} from '../../../core/rational.ts';
import { isForControl, useKeyListener } from '../../ui/use-key-listener.ts';
import { move, trimEnd, trimStart } from './edits.ts';
import { getSourceLength, useClipAsset } from './entry-block.tsx';
import { findCut, getFrameLength, getStart } from './film.ts';
import { moveSelectedToTrack, removeSelected, splitSelected } from './toolbar.tsx';
import type { Editor } from './use-editor.ts';

/**
 * Space, L and K play and stop, J goes back a second. Arrows: a frame, with Shift a second, with Alt they move the selected entry. Up and down: to a cut, with Alt to another track.
 * S splits, I and O trim to the playhead, Delete removes and closes the gap, with Shift it leaves one.
 */
export function useEditorKeys(editor: Editor): void {
  const { data: asset } = useClipAsset(editor.selected);
  const source = getSourceLength(asset, editor.selected);
  useKeyListener((event) => {
    const { target, metaKey, ctrlKey, altKey, shiftKey } = event;
    if (isForControl(event)) return;
    // The button is pressed by it.
    if (event.key === ' ' && target instanceof Element && target.closest('button, a')) return;
    const isCommand = metaKey || ctrlKey;
    const names = [isCommand && 'Ctrl', altKey && 'Alt', shiftKey && 'Shift', toName(event.key)];
    const name = names.filter(Boolean).join('+');
    const { canEdit } = editor.project;
    const run = SEEKS[name] ?? (canEdit ? EDITS[name] : undefined);
    if (run) run(editor);
    else if (canEdit && (name === 'i' || name === 'o')) trimToPlayhead(editor, name, source);
    else return;
    event.preventDefault();
  });
}

const toName = (key: string): string => (key.length === 1 ? key.toLowerCase() : key);

type Keys = Readonly<Record<string, (editor: Editor) => void>>;

const SEEKS: Keys = {
  k: ({ playback }) => playback.pause(),
  l: ({ playback }) => {
    if (!playback.isPlaying) playback.toggle();
  },
  j: (editor) => editor.step(-getFramesInSecond(editor)),
  ' ': ({ playback }) => playback.toggle(),
  ArrowLeft: ({ step }) => step(-1),
  ArrowRight: ({ step }) => step(1),
  'Shift+ArrowLeft': (editor) => editor.step(-getFramesInSecond(editor)),
  'Shift+ArrowRight': (editor) => editor.step(getFramesInSecond(editor)),
  ArrowUp: ({ film, playhead, seek }) => seek(findCut(film, playhead, -1)),
  ArrowDown: ({ film, playhead, seek }) => seek(findCut(film, playhead, 1)),
  Home: ({ seek }) => seek(ZERO),
  End: ({ seek, length }) => seek(length),
};

const EDITS: Keys = {
  'Ctrl+z': ({ undo }) => undo(),
  'Ctrl+Shift+z': ({ redo }) => redo(),
  'Ctrl+y': ({ redo }) => redo(),
  s: splitSelected,
  Delete: (editor) => removeSelected(editor),
  Backspace: (editor) => removeSelected(editor),
  'Shift+Delete': (editor) => removeSelected(editor, true),
  'Alt+ArrowLeft': (editor) => nudge(editor, subtract),
  'Alt+ArrowRight': (editor) => nudge(editor, add),
  'Alt+ArrowUp': (editor) => moveSelectedToTrack(editor, 1),
  'Alt+ArrowDown': (editor) => moveSelectedToTrack(editor, -1),
};

const getFramesInSecond = ({ film }: Editor): number =>
  Math.round(toSeconds(toRational(film.frameRate)));

function nudge(
  { selected, film, edit }: Editor,
  by: (start: Rational, frame: Rational) => Rational,
): void {
  if (!selected) return;
  const to = by(getStart(selected), getFrameLength(film));
  edit((film) => move(film, selected.id, to));
}

function trimToPlayhead(
  { selected, playhead, edit }: Editor,
  edge: 'i' | 'o',
  source: Rational | undefined,
): void {
  if (!selected) return;
  const trim = edge === 'i' ? trimStart : trimEnd;
  edit((film) => trim(film, selected.id, playhead, source));
}
