import { useQuery } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight, Pause, Play, Volume2, VolumeX, X } from 'lucide-react';
import {
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useEffectEvent,
  useReducer,
  useRef,
  useState,
} from 'react';
import { createPortal } from 'react-dom';
import { useLocation } from 'wouter';
import { requireValue } from '../../../core/required.ts';
import { t } from '../../base/i18n.ts';
import { preferencesQuery } from '../../data/settings/queries.ts';
import { useStore } from '../../base/store.ts';
import type { Memory } from '../../data/types.ts';
import { Failure, IconButton } from '../../ui/elements.tsx';
import { useKeyListener } from '../../ui/use-key-listener.ts';
import { Caption } from './caption.tsx';
import { describeAsset } from './describe-asset.ts';
import { changeMemory, playlist } from '../../data/memories/memory-data.ts';
import { PlayerMenu } from './player-menu.tsx';
import { isPlaying, type PlayerEvent, reducePlayer, START } from './player-state.ts';
import { memoryQuery } from '../../data/memories/queries.ts';
import { isMuted, Slide, usePreload } from './slide.tsx';
import { useClock } from './use-clock.ts';
import { useGestures } from './use-gestures.ts';
import styles from './player.module.css';

/** Shows a memory over the whole window, and after it the others of the playlist. */
export function MemoryPlayer({ id }: { id: string }) {
  const [, navigate] = useLocation();
  const { memories, from } = useStore(playlist);
  const at = memories.findIndex((memory) => memory.id === id);
  const { data, error, refetch } = useQuery({
    ...memoryQuery(id),
    placeholderData: () => memories[at],
  });
  const close = useCallback(() => navigate(from, { replace: true }), [navigate, from]);
  const go = (memory: Memory | undefined) =>
    memory && (() => navigate(`/memories/${memory.id}`, { replace: true }));
  const next = at < 0 ? undefined : go(memories[at + 1]);
  const [isPaused, setPaused] = useState(wantsLessMotion);
  const leave = () => {
    playlist.set((old) => ({ ...old, memories: old.memories.filter((one) => one.id !== id) }));
    (next ?? close)();
  };
  return (
    <Screen onClose={close}>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data && data.assets.length > 0 && (
        <Show
          key={id}
          memory={data}
          isPaused={isPaused}
          onPause={setPaused}
          onNext={next}
          onPrevious={at > 0 ? go(memories[at - 1]) : undefined}
          onClose={close}
          onLeave={leave}
        />
      )}
      {data?.assets.length === 0 && <Failure error={NO_PICTURES} onRetry={leave} />}
    </Screen>
  );
}

const NO_PICTURES = new Error(t('This memory has no pictures left.'));

const wantsLessMotion = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

/** Over the page, which can neither be seen nor reached meanwhile. */
function Screen({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  const screen = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const root = document.getElementById('root');
    root?.setAttribute('inert', '');
    screen.current?.focus();
    return () => root?.removeAttribute('inert');
  }, []);
  useKeyListener(({ key }) => {
    // A dialog is closed by the browser, also where nothing in it has the focus any more.
    if (key === 'Escape' && !screen.current?.querySelector('dialog[open]')) onClose();
  });
  return createPortal(
    <div
      ref={screen}
      className={styles.player}
      data-scheme="dark"
      data-part="memory-player"
      role="dialog"
      aria-modal
      aria-label={t('Memory')}
      tabIndex={-1}
    >
      {children}
      <IconButton icon={X} label={t('Close')} className={styles.close} onClick={onClose} />
    </div>,
    document.body,
  );
}

type ShowProps = {
  memory: Memory;
  /** How the memory before it was left; at first, paused for who asks for less motion. */
  isPaused: boolean;
  onPause: (isPaused: boolean) => void;
  onNext: (() => void) | undefined;
  onPrevious: (() => void) | undefined;
  onClose: () => void;
  /** The memory is not to be shown any more. */
  onLeave: () => void;
};

const DEFAULT_SECONDS = 5;

function Show(props: ShowProps) {
  const { memory, onPause, onNext, onPrevious, onClose, onLeave } = props;
  const { assets } = memory;
  const [state, dispatch] = useReducer(
    (old: typeof START, event: PlayerEvent) => reducePlayer(old, event, assets.length),
    START,
    (start) => ({ ...start, isPaused: props.isPaused }),
  );
  useEffect(() => onPause(state.isPaused), [onPause, state.isPaused]);
  const item = Math.min(state.item, assets.length - 1);
  const asset = requireValue(assets[item], 'item of the memory');
  const { data: preferences } = useQuery(preferencesQuery());
  const [ready, setReady] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const bars = useRef<HTMLDivElement>(null);
  const isRunning = isPlaying(state) && !isBusy;
  usePreload(assets[item + 1]);
  useSeen(memory);

  const onProgress = (part: number) => showProgress(bars.current, item, part);
  useClock({
    durationMs: (preferences?.memories.duration ?? DEFAULT_SECONDS) * 1000,
    isRunning: isRunning && asset.type !== 'VIDEO' && ready === asset.id,
    turn: state.turn,
    onProgress,
    onEnd: () => dispatch('next'),
  });
  const goOn = useEffectEvent(() => onNext?.());
  useEffect(() => {
    if (state.isEnded) goOn();
  }, [state.isEnded]);

  const act = (event: PlayerEvent | 'close') => {
    if (event === 'close') onClose();
    else if (event === 'previous' && item === 0 && onPrevious) onPrevious();
    else dispatch(event);
  };
  const gestures = useGestures(act);
  usePlayerKeys(act, isBusy);
  return (
    <>
      <div className={styles.stage} data-part="memory-stage" {...gestures}>
        <Slide
          key={`${asset.id} ${asset.type === 'VIDEO' ? state.turn : ''}`}
          asset={asset}
          alt={describeAsset(asset)}
          isPlaying={isRunning}
          onReady={() => setReady(asset.id)}
          onProgress={onProgress}
          onEnd={() => dispatch('next')}
        />
      </div>
      <header className={styles.top}>
        <Bars ref={bars} count={assets.length} item={item} />
        <div className={styles.head}>
          <div className={styles.title}>
            <h1>{memory.name ?? t('Memory')}</h1>
            {memory.description && <p>{memory.description}</p>}
          </div>
          <IconButton
            icon={isPlaying(state) ? Pause : Play}
            label={isPlaying(state) ? t('Pause') : t('Play')}
            onClick={() => dispatch('toggle')}
          />
          {asset.type === 'VIDEO' && <SoundButton />}
          <PlayerMenu memory={memory} asset={asset} onBusy={setBusy} onLeave={onLeave} />
        </div>
      </header>
      <IconButton
        icon={ChevronLeft}
        label={t('Previous')}
        className={`${styles.step} ${styles.back}`}
        onClick={() => act('previous')}
      />
      <IconButton
        icon={ChevronRight}
        label={t('Next')}
        className={styles.step}
        onClick={() => act('next')}
      />
      <Caption
        asset={asset}
        position={t('{item} of {count}', { item: item + 1, count: assets.length })}
      />
    </>
  );
}

/** With more items there is one bar for all of them. */
const MOST_BARS = 40;

function Bars({
  ref,
  count,
  item,
}: {
  ref: RefObject<HTMLDivElement | null>;
  count: number;
  item: number;
}) {
  const bars = count > MOST_BARS ? 1 : count;
  return (
    <div
      ref={ref}
      className={styles.bars}
      role="progressbar"
      aria-label={t('Progress of the memory')}
      aria-valuemin={1}
      aria-valuemax={count}
      aria-valuenow={item + 1}
      data-count={count}
    >
      {Array.from({ length: bars }, (_, at) => (
        <span key={at}>
          <i />
        </span>
      ))}
    </div>
  );
}

/** Written past React: it changes with every frame. */
function showProgress(box: HTMLElement | null, item: number, part: number): void {
  if (!box) return;
  const bars = [...box.querySelectorAll<HTMLElement>('i')];
  const count = Number(box.dataset['count']);
  const done = bars.length === count ? item + part : (item + part) / count;
  for (const [at, bar] of bars.entries()) {
    bar.style.scale = `${Math.max(0, Math.min(1, done - at))} 1`;
  }
}

function SoundButton() {
  const isSilent = useStore(isMuted);
  return (
    <IconButton
      icon={isSilent ? VolumeX : Volume2}
      label={isSilent ? t('Sound on') : t('Sound off')}
      onClick={() => isMuted.set(!isSilent)}
    />
  );
}

function useSeen({ id, seenAt }: Memory): void {
  useEffect(() => {
    if (seenAt !== undefined) return;
    void changeMemory(id, { seenAt: new Date().toISOString() }).catch(() => undefined);
  }, [id, seenAt]);
}

const KEYS: Readonly<Record<string, PlayerEvent>> = {
  ArrowLeft: 'previous',
  ArrowRight: 'next',
  ' ': 'toggle',
};

function usePlayerKeys(act: (event: PlayerEvent) => void, isOff: boolean): void {
  useKeyListener((event) => {
    const isPress = event.key === ' ' && event.target instanceof HTMLButtonElement;
    const wanted = KEYS[event.key];
    if (!wanted || isPress || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act(wanted);
  }, !isOff);
}
