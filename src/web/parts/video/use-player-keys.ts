import { useEffect } from 'react';
import { isForControl } from '../../ui/use-key-listener.ts';
import { useLatest } from '../../ui/use-latest.ts';
import { seekTo, togglePlaying, toggleSound } from './actions.ts';

/** In seconds. */
const JUMP = 10;

type Action = (media: HTMLMediaElement) => void;

/** F, J and L are keys of the viewer: it marks favorites and opens albums with them. */
const ACTIONS: Readonly<Record<string, Action>> = {
  ' ': togglePlaying,
  k: togglePlaying,
  m: toggleSound,
  'Shift+ArrowLeft': (media) => seekTo(media, media.currentTime - JUMP),
  'Shift+ArrowRight': (media) => seekTo(media, media.currentTime + JUMP),
};

type Pressed = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>;

/** Returns what a key does with a video; undefined for a key of others. */
export function findAction({
  key,
  shiftKey,
  ctrlKey,
  metaKey,
  altKey,
}: Pressed): Action | undefined {
  if (ctrlKey || metaKey || altKey) return undefined;
  return ACTIONS[shiftKey ? `Shift+${key}` : key.toLowerCase()];
}

/** Keys of the whole page while something is shown that can be played; calls `onUse` with each. */
export function usePlayerKeys(media: HTMLMediaElement | null, onUse: () => void): void {
  const latest = useLatest(onUse);
  useEffect(() => {
    if (!media) return;
    const onKeyDown = (event: KeyboardEvent) => {
      const action = findAction(event);
      if (!action || belongsToOther(event)) return;
      event.preventDefault();
      event.stopPropagation();
      // A key that is held down moves on, and does not play and pause.
      if (!event.repeat || event.shiftKey) action(media);
      latest.current();
    };
    // Before the lightbox, to which an arrow is another photo, whatever is held.
    window.addEventListener('keydown', onKeyDown, true);
    return () => window.removeEventListener('keydown', onKeyDown, true);
  }, [media, latest]);
}

/** A field, an open dialog, or a button that the space bar presses. */
function belongsToOther(event: KeyboardEvent): boolean {
  if (isForControl(event) || document.querySelector('dialog[open]')) return true;
  const { target, key } = event;
  return key === ' ' && target instanceof Element && target.closest('button, a, summary') !== null;
}
