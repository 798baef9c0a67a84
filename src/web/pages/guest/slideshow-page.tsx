import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { t } from '../../base/i18n.ts';
import { lazyComponent } from '../../ui/lazy.tsx';
import { useStore } from '../../base/store.ts';
import { getTimeline, type Timeline } from '../../data/timeline/timeline-data.ts';
import { canFullscreen } from '../../parts/video/fullscreen.ts';
import { enterFullscreen } from '../../parts/viewer/fullscreen.ts';
import { getPhotoAt } from '../../data/viewer/photo-window.ts';
import styles from './wall.module.css';

const Slideshow = lazyComponent(() =>
  import('../../parts/viewer/slideshow/slideshow.tsx').then((module) => module.Slideshow),
);

/** The photos of a link one after another, for the browser of a television. */
export function SlideshowPage({ base, title }: { base: string; title: string }) {
  const timeline = getTimeline({});
  const [, navigate] = useLocation();
  const startId = useFirstId(timeline);
  useFullscreenByPress();
  return (
    <>
      <h1 className="hidden-title">{title}</h1>
      {startId === null && <p className={styles.none}>{t('No photos yet')}</p>}
      {startId && (
        <Slideshow timeline={timeline} startId={startId} onClose={() => navigate(base)} />
      )}
    </>
  );
}

/** Returns undefined until it is known, and null when there are no photos. */
function useFirstId(timeline: Timeline): string | null | undefined {
  const [id, setId] = useState<string | null>();
  const months = useStore(timeline.state, (state) => state.months);
  const isLoaded = useStore(timeline.state, (state) => state.status !== 'loading');
  const hasPhotos = months.length > 0;
  useEffect(() => {
    if (!isLoaded) return;
    let isOver = false;
    const find = async () => (hasPhotos ? ((await getPhotoAt(timeline, 0))?.id ?? null) : null);
    void find().then(
      (found) => !isOver && setId(found),
      () => !isOver && setId(null),
    );
    return () => {
      isOver = true;
    };
  }, [timeline, isLoaded, hasPhotos]);
  return id;
}

/** Browsers fill the screen only after a press: that of the remote control does. */
function useFullscreenByPress(): void {
  useEffect(() => {
    if (!canFullscreen()) return;
    const events = ['pointerdown', 'keydown'] as const;
    const stop = () => events.forEach((name) => window.removeEventListener(name, fill));
    const fill = (event: Event) => {
      if (event instanceof KeyboardEvent && event.key === 'Escape') return;
      stop();
      if (!document.fullscreenElement) void enterFullscreen();
    };
    for (const name of events) window.addEventListener(name, fill);
    return stop;
  }, []);
}
