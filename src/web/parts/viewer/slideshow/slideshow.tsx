import { ChevronLeft, ChevronRight, Maximize, Pause, Play, Settings, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { t } from '../../../base/i18n.ts';
import type { Timeline } from '../../../data/timeline/timeline-data.ts';
import { IconButton } from '../../../ui/elements.tsx';
import { isForControl, useKeyListener } from '../../../ui/use-key-listener.ts';
import { canFullscreen, toggleFullscreen } from '../../video/fullscreen.ts';
import { enterFullscreen, leaveFullscreen, useFullscreenEnd } from '../fullscreen.ts';
import { SettingsDialog } from './settings-dialog.tsx';
import { readSettings, saveSettings } from './settings.ts';
import { SlideLayer } from './slide-layer.tsx';
import { useShow } from './use-show.ts';
import styles from './slideshow.module.css';

type Props = {
  timeline: Timeline;
  /** The photo that it begins with. */
  startId: string;
  onClose: (id: string) => void;
};

/** Shows the photos of a timeline one after another, until somebody ends it. */
export function Slideshow({ timeline, startId, onClose }: Props) {
  const [settings, setSettings] = useState(readSettings);
  const [isAsking, setAsking] = useState(false);
  const { shown, isPaused, setPaused, move } = useShow(timeline, startId, settings);
  const areControlsShown = useIdle(isPaused || isAsking);
  const screen = useRef<HTMLDivElement>(null);
  const current = shown.at(-1);
  const close = () => {
    void leaveFullscreen();
    onClose(current?.item.id ?? startId);
  };
  // By hand: then the photo stays until somebody has seen enough of it.
  const step = (by: 1 | -1) => {
    setPaused(true);
    void move(by);
  };
  // The browser ends the full screen by Escape, and with it the slideshow; the button ends it alone.
  const isByButton = useRef(false);
  const toggle = () => {
    isByButton.current = document.fullscreenElement !== null;
    toggleFullscreen();
  };
  useKeys({
    Escape: close,
    ' ': () => setPaused(!isPaused),
    p: () => setPaused(!isPaused),
    ArrowRight: () => step(1),
    ArrowLeft: () => step(-1),
    F: toggle,
  });
  useWakeLock(!isPaused);
  useFullscreenEnd(() => {
    if (!isByButton.current) close();
    isByButton.current = false;
  });
  const { isFullscreen } = settings;
  useEffect(() => {
    screen.current?.focus();
    if (isFullscreen && canFullscreen()) void enterFullscreen();
  }, [isFullscreen]);

  return (
    <div
      ref={screen}
      className={styles.screen}
      data-part="slideshow"
      data-transition={settings.transition}
      data-controls={areControlsShown || undefined}
      role="dialog"
      aria-modal
      aria-label={t('Slideshow')}
      tabIndex={-1}
    >
      <div className={styles.stage} onClick={() => setPaused(!isPaused)}>
        {shown.map(({ key, item }) => (
          <SlideLayer
            key={key}
            item={item}
            isCurrent={key === current?.key}
            isPaused={isPaused}
            settings={settings}
            onEnded={() => !isPaused && void move(1)}
          />
        ))}
      </div>
      <p className="hidden-title" role="status">
        {isPaused ? t('Paused') : t('Playing')}
      </p>
      <Controls
        isPaused={isPaused}
        onPause={setPaused}
        onStep={step}
        onSettings={() => {
          setPaused(true);
          setAsking(true);
        }}
        onFullscreen={toggle}
        onClose={close}
      />
      {isAsking && (
        <SettingsDialog
          settings={settings}
          onChange={(next) => {
            setSettings(next);
            saveSettings(next);
          }}
          onClose={() => {
            setAsking(false);
            setPaused(false);
          }}
        />
      )}
    </div>
  );
}

type ControlsProps = {
  isPaused: boolean;
  onPause: (isPaused: boolean) => void;
  onStep: (by: 1 | -1) => void;
  onSettings: () => void;
  onFullscreen: () => void;
  onClose: () => void;
};

function Controls(props: ControlsProps) {
  const { isPaused, onPause, onStep, onSettings, onFullscreen, onClose } = props;
  return (
    <div className={styles.controls}>
      <IconButton icon={ChevronLeft} label={t('Previous photo')} onClick={() => onStep(-1)} />
      <IconButton
        icon={isPaused ? Play : Pause}
        label={isPaused ? t('Play') : t('Pause')}
        onClick={() => onPause(!isPaused)}
      />
      <IconButton icon={ChevronRight} label={t('Next photo')} onClick={() => onStep(1)} />
      <IconButton icon={Settings} label={t('Slideshow settings')} onClick={onSettings} />
      {canFullscreen() && (
        <IconButton icon={Maximize} label={t('Full screen')} onClick={onFullscreen} />
      )}
      <IconButton icon={X} label={t('End slideshow')} onClick={onClose} />
    </div>
  );
}

function useKeys(keys: Readonly<Record<string, () => void>>): void {
  useKeyListener((event) => {
    if (isForControl(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    // A button that has the focus is pressed by the space bar.
    if (event.key === ' ' && event.target instanceof HTMLButtonElement) return;
    keys[event.key]?.();
  });
}

const IDLE_MS = 3000;

/** Returns whether somebody has just moved the pointer or pressed a key. `isHeld`: true in any case. */
function useIdle(isHeld: boolean): boolean {
  const [isActive, setActive] = useState(true);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const wake = () => {
      setActive(true);
      clearTimeout(timer);
      timer = setTimeout(() => setActive(false), IDLE_MS);
    };
    wake();
    const events = ['pointermove', 'pointerdown', 'keydown', 'focusin'] as const;
    for (const name of events) window.addEventListener(name, wake);
    return () => {
      clearTimeout(timer);
      for (const name of events) window.removeEventListener(name, wake);
    };
  }, []);
  return isHeld || isActive;
}

/** Keeps the screen on while `isOn`, where the browser can. A hidden window loses the lock. */
function useWakeLock(isOn: boolean): void {
  useEffect(() => {
    if (!isOn || !('wakeLock' in navigator)) return;
    let sentinel: WakeLockSentinel | undefined;
    let isOver = false;
    const acquire = async () => {
      if (document.visibilityState !== 'visible') return;
      // Refused when the battery is low: then the screen goes dark as usual.
      const lock = await navigator.wakeLock.request('screen').catch(() => undefined);
      if (isOver) await lock?.release();
      else sentinel = lock;
    };
    const onVisibility = () => void acquire();
    void acquire();
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      isOver = true;
      document.removeEventListener('visibilitychange', onVisibility);
      void sentinel?.release();
    };
  }, [isOn]);
}
