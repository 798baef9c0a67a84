import { useEffect } from 'react';
import { useLatest } from '../../ui/use-latest.ts';

type Handlers = {
  readonly onClick: () => void;
  readonly onDoubleClick: () => void;
  /** `isCentre`: on the sign in the middle of the video. */
  readonly onTap: (isCentre: boolean) => void;
};

/** In px of the window: more is a swipe. */
const MOST = 10;
/** Half the side of the sign in px. */
const CENTRE = 40;

/** Hears clicks and taps on the video of the current slide, not swipes. */
export function useTaps(
  stage: HTMLElement | null,
  media: HTMLMediaElement | null,
  handlers: Handlers,
): void {
  const latest = useLatest(handlers);
  useEffect(() => {
    if (!stage || !(media instanceof HTMLVideoElement)) return;
    let start: PointerEvent | undefined;
    const onDown = (event: PointerEvent) => {
      start = event;
    };
    const onClick = (event: MouseEvent) => {
      if (event.target !== media || event.button !== 0 || !start) return;
      if (Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) > MOST) return;
      if (start.pointerType !== 'touch') return latest.current.onClick();
      const { left, top, width, height } = stage.getBoundingClientRect();
      const [x, y] = [event.clientX - left - width / 2, event.clientY - top - height / 2];
      latest.current.onTap(Math.max(Math.abs(x), Math.abs(y)) <= CENTRE);
    };
    const onDoubleClick = (event: MouseEvent) => {
      if (event.target === media && start?.pointerType === 'mouse') latest.current.onDoubleClick();
    };
    stage.addEventListener('pointerdown', onDown, true);
    stage.addEventListener('click', onClick);
    stage.addEventListener('dblclick', onDoubleClick);
    return () => {
      stage.removeEventListener('pointerdown', onDown, true);
      stage.removeEventListener('click', onClick);
      stage.removeEventListener('dblclick', onDoubleClick);
    };
  }, [stage, media, latest]);
}
