import { useEffect, useEffectEvent } from 'react';

/** The button of a menu is none: it has the focus again after its menu, or a dialog opened from there, is closed. */
const CONTROLS = 'input, textarea, select, dialog, [role=menu]';

/** Whether keys belong to a field, a dialog or an open menu, and not to the page. */
export const isForControl = ({ target }: KeyboardEvent): boolean =>
  target instanceof Element && target.closest(CONTROLS) !== null;

/** Calls the newest `listener` for every key that is pressed on the page while `isOn`. */
export function useKeyListener(listener: (event: KeyboardEvent) => void, isOn = true): void {
  const onKey = useEffectEvent(listener);
  useEffect(() => {
    if (!isOn) return;
    const listen = (event: KeyboardEvent) => onKey(event);
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [isOn]);
}
