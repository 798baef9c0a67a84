import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { compare, type Rational, toWire } from '../../../core/rational.ts';
import { getMessage } from '../../base/api.ts';
import { getPictureUrl } from '../../base/pictures.ts';
import { useStore } from '../../base/store.ts';
import { Progress } from '../../ui/elements.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';
import { useLatest } from '../../ui/use-latest.ts';
import { type Clip, formatTimecode, getEnd, getStart } from './film.ts';
import { createFrameLoader, type FrameState, type FrameWish } from './frames.ts';
import type { PlayerState } from './player.ts';
import { FilmError } from './unavailable.tsx';
import type { Editor } from './use-editor.ts';
import { describeEmptiness } from './words.ts';
import styles from './editor.module.css';
import { t } from '../../base/i18n.ts';

/** After so long without a move of the playhead the frame is shown in better quality. */
const SETTLE_MS = 500;

const EMPTY: FrameState = { isLoading: false };

/** The frame at the playhead, as the server renders the last stored revision. */
export function PreviewCanvas({ editor }: { editor: Editor }) {
  const { film, playhead, playback } = editor;
  const playing = playback.state;
  const box = useRef<HTMLDivElement>(null);
  const { state, isCurrent } = useFrame(editor, useWidth(box));
  const timecode = formatTimecode(film, playhead);
  const emptiness = describeEmptiness(film);
  return (
    <div
      ref={box}
      className={styles.canvas}
      style={{ aspectRatio: `${film.width} / ${film.height}`, background: film.background }}
      aria-busy={!isCurrent}
      role="group"
      aria-label={t('Preview')}
    >
      {emptiness && <p className={styles.emptiness}>{emptiness}</p>}
      {!emptiness && !state.frame && <Poster clip={film.clips[0]} />}
      {state.frame && <img src={state.frame.url} alt={t('Frame at {timecode}', { timecode })} />}
      {playing.status === 'playing' && <Playing media={playing.media} onPlayed={playback.follow} />}
      {(playing.status === 'starting' || (state.isLoading && !state.frame)) && (
        <div className={styles.starting}>
          <Progress value={undefined} label={t('Loading')} />
        </div>
      )}
      {listErrors(playing, state).map((error) => (
        <FilmError key={getMessage(error)} editor={editor} error={error} />
      ))}
    </div>
  );
}

/** What the film begins with, before its first frame is there. */
const Poster = ({ clip }: { clip: Clip | undefined }) =>
  clip ? <img src={getPictureUrl(clip.assetId, 'thumbnail')} alt="" /> : null;

/** Returns why the film does not play, and why its frame is not shown; once if that is the same. */
function listErrors(playing: PlayerState, { error }: FrameState): unknown[] {
  const stopped = playing.status === 'stopped' ? playing.error : undefined;
  const errors = [stopped, error].filter((error) => error !== undefined);
  return [...new Map(errors.map((error) => [getMessage(error), error])).values()];
}

/** Between two moves of the playhead. */
const FOLLOW_MS = 100;

/** The pictures of a stream. Tells for how many seconds they have come. */
function Playing({ media, onPlayed }: { media: MediaStream; onPlayed: (seconds: number) => void }) {
  const video = useRef<HTMLVideoElement>(null);
  const follow = useLatest(onPlayed);
  useEffect(() => {
    const element = video.current;
    if (!element) return undefined;
    element.srcObject = media;
    let first: number | undefined;
    let last = 0;
    let handle = 0;
    const onFrame = (now: number) => {
      first ??= now;
      if (now - last >= FOLLOW_MS) {
        last = now;
        follow.current((now - first) / 1000);
      }
      handle = element.requestVideoFrameCallback(onFrame);
    };
    handle = element.requestVideoFrameCallback(onFrame);
    return () => element.cancelVideoFrameCallback(handle);
  }, [media, follow]);
  return <video ref={video} aria-label={t('Film')} autoPlay muted playsInline />;
}

function useFrame(editor: Editor, width: number) {
  const { project, film, playhead, saved, length, playback, markUnavailable } = editor;
  const [loader] = useState(createFrameLoader);
  const state = useStore(loader.state);
  const time = toWire(playhead);
  const name = `${time.numerator}/${time.denominator}`;
  const isSettled = useDebounced(name, SETTLE_MS) === name;
  const isStill = !playback.isPlaying;
  const isEmpty = length.numerator === 0n;
  const wish: FrameWish = {
    projectId: project.id,
    revision: saved.revision,
    time,
    quality: isSettled ? 'standard' : 'draft',
    viewport: { width, height: Math.max(16, Math.round((width * film.height) / film.width)) },
  };
  const key = JSON.stringify(wish);
  useEffect(() => {
    if (width > 0 && !isEmpty && isStill) loader.wish(JSON.parse(key) as FrameWish);
  }, [loader, key, width, isEmpty, isStill]);
  useEffect(() => () => loader.close(), [loader]);
  const isCurrent = saved.film === film && state.frame && JSON.stringify(state.frame.wish) === key;
  const isShown = Boolean(isCurrent) && state.error === undefined;
  const shown = useLatest(() => {
    for (const clip of film.clips.filter((clip) => covers(clip, playhead)))
      markUnavailable(clip.assetId, false);
  });
  useEffect(() => {
    if (isShown) shown.current();
  }, [isShown, key, shown]);
  return { state: isEmpty ? EMPTY : state, isCurrent: isEmpty || Boolean(isCurrent) };
}

const covers = (clip: Clip, time: Rational): boolean =>
  compare(getStart(clip), time) <= 0 && compare(time, getEnd(clip)) < 0;

/** Returns the width of an element in the pixels of the screen; 0 before it is known. */
function useWidth(box: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (!box.current) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      const pixels = (entry?.contentRect.width ?? 0) * devicePixelRatio;
      // Few sizes, so that the server renders few.
      setWidth(Math.min(960, Math.ceil(pixels / 160) * 160));
    });
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [box]);
  return width;
}
