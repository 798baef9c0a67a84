import { useEffect } from 'react';
import { isForControl } from './use-key-listener.ts';
import { useLatest } from './use-latest.ts';

/** A key that works on the whole page. The list of keys, which `?` opens, shows all that are in use. */
export type KeyBinding = {
  /**
   * Each of these does the same: 'd', '?', 'ArrowLeft', 'Space', 'Shift+ArrowLeft', 'Ctrl+a' (also with Command), or
   * two keys one after the other, 'g p'. A character stands for itself, whatever is held to type it.
   */
  keys: readonly string[];
  label: string;
  /** Returns false where it has nothing to do: then the key is offered to others, and to the browser. */
  run: (event: KeyboardEvent) => boolean | void;
};

export type KeyGroup = { title: string; bindings: readonly KeyBinding[] };

const groups = new Set<() => KeyGroup>();

/** Registers keys until the returned function is called. Of two for the same key, the later one is asked first. */
function registerKeys(read: () => KeyGroup): () => void {
  if (groups.size === 0) window.addEventListener('keydown', onKeyDown);
  groups.add(read);
  return () => {
    groups.delete(read);
    if (groups.size === 0) window.removeEventListener('keydown', onKeyDown);
  };
}

/** Registers keys while the component is shown and `isOn`. */
export function useKeyBindings(title: string, bindings: readonly KeyBinding[], isOn = true): void {
  const latest = useLatest({ title, bindings });
  useEffect(() => (isOn ? registerKeys(() => latest.current) : undefined), [latest, isOn]);
}

/** Returns the keys in use; groups of one title are one group. */
export function listKeyGroups(): KeyGroup[] {
  const byTitle = new Map<string, KeyBinding[]>();
  for (const read of groups) {
    const { title, bindings } = read();
    byTitle.set(title, [...(byTitle.get(title) ?? []), ...bindings]);
  }
  return [...byTitle].map(([title, bindings]) => ({ title, bindings }));
}

/** The second of two keys follows the first within this time. */
const SEQUENCE_MS = 1500;
let previous = { key: '', at: 0 };

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || belongsToTarget(event)) return;
  const key = toKeyName(event);
  if (key === undefined) return;
  const isSecond = previous.key !== '' && event.timeStamp - previous.at < SEQUENCE_MS;
  const pressed = isSecond ? `${previous.key} ${key}` : key;
  previous = { key: '', at: 0 };
  const all = [...groups].toReversed().flatMap((read) => read().bindings);
  const isDone = all.some(({ keys, run }) => keys.includes(pressed) && run(event) !== false);
  if (isDone) event.preventDefault();
  else if (all.some(({ keys }) => keys.some((one) => one.startsWith(`${pressed} `)))) {
    previous = { key: pressed, at: event.timeStamp };
  }
}

/** Returns the name of the key with what is held; undefined for a key that is only held. */
export function toKeyName(
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>,
): string | undefined {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
  if (['Shift', 'Control', 'Alt', 'Meta', 'AltGraph', 'Dead'].includes(key)) return undefined;
  const isCharacter = key.length === 1 && key !== ' ';
  const held = [
    ctrlKey || metaKey ? 'Ctrl' : '',
    altKey && !isCharacter ? 'Alt' : '',
    shiftKey && !isCharacter ? 'Shift' : '',
  ];
  const name = key === ' ' ? 'Space' : isCharacter ? key.toLowerCase() : key;
  return [...held.filter(Boolean), name].join('+');
}

/** Keys that move a slider (WAI-ARIA). The page keeps the others. */
const SLIDER_KEYS = /^(?:Arrow|Page|Home$|End$)/;

/** Keys of a field, a dialog or a player are theirs; a button keeps those that press it, a slider those that move it. */
function belongsToTarget(event: KeyboardEvent): boolean {
  if (isForControl(event) || document.querySelector('dialog[open]')) return true;
  const { target, key } = event;
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.closest('video, audio')) return true;
  if (SLIDER_KEYS.test(key) && target.closest('[role=slider]')) return true;
  const isPress = key === 'Enter' || key === ' ';
  // A picture of a grid is a link whose keys the grid handles.
  return isPress && target.closest('a, button, summary')?.matches(':not([data-id])') === true;
}
