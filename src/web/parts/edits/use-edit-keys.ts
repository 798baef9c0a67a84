import { useEffect, useEffectEvent } from 'react';

type Keys = {
  /** While the key is held. */
  onCompare: (isHeld: boolean) => void;
  onTurn: (by: 90 | -90) => void;
};

/** Keys of the editor, wherever the focus in its dialog is: O compares, R and Shift+R turn. */
export function useEditKeys({ onCompare, onTurn }: Keys): void {
  const compare = useEffectEvent(onCompare);
  const turn = useEffectEvent(onTurn);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const key = event.key.toLowerCase();
      if (key === 'o') compare(true);
      else if (key === 'r' && !event.repeat) turn(event.shiftKey ? -90 : 90);
    };
    const release = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === 'o') compare(false);
    };
    const leave = () => compare(false);
    // Before the dialog, which keeps its keys to itself.
    window.addEventListener('keydown', press, true);
    window.addEventListener('keyup', release, true);
    window.addEventListener('blur', leave);
    return () => {
      window.removeEventListener('keydown', press, true);
      window.removeEventListener('keyup', release, true);
      window.removeEventListener('blur', leave);
    };
  }, []);
}
