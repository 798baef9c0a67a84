import {
  Maximize,
  Minimize,
  Pause,
  PictureInPicture2,
  Play,
  RotateCcw,
  Volume2,
  VolumeX,
} from 'lucide-react';
import { createElement, type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { t } from '../../base/i18n.ts';
import { adoptRules } from '../../ui/adopt-rules.ts';
import { cornerOverlay } from '../../ui/corner.ts';
import { IconButton } from '../../ui/elements.tsx';
import { attempt } from '../../ui/toast.tsx';
import { useMediaQuery } from '../../ui/use-media-query.ts';
import {
  canPictureInPicture,
  setVolume,
  takeSound,
  togglePictureInPicture,
  togglePlaying,
  toggleSound,
} from './actions.ts';
import { canShowFullscreen, toggleVideoFullscreen } from './fullscreen.ts';
import { type Mark, SeekBar } from './seek-bar.tsx';
import { useShownMedia } from './shown-media.ts';
import { Slider } from './slider.tsx';
import { useIdle } from './use-idle.ts';
import { usePlayerKeys } from './use-player-keys.ts';
import { useTaps } from './use-taps.ts';
import { useVideo, type VideoState } from './use-video.ts';
import rules from './player.css' with { type: 'text' };

adoptRules(rules);

type Props = {
  /** Where the lightbox is: the player lies over it, and outside of its gestures. */
  stage: HTMLElement | null;
  marks?: readonly Mark[];
  renderFrame?: ((time: number) => ReactNode) | undefined;
  /** Buttons of this video, such as those of its captions. */
  children?: ReactNode;
};

const NO_MARKS: readonly Mark[] = [];

/** Plays the video or the recording of the current slide; nothing where there is none. */
export function Player({ stage, marks = NO_MARKS, renderFrame, children }: Props) {
  const media = useShownMedia(stage);
  const state = useVideo(media);
  const bar = useRef<HTMLDivElement>(null);
  const isVideo = media instanceof HTMLVideoElement;
  const { isIdle, wake, toggle } = useIdle(bar, media);
  const isTouch = useMediaQuery('(hover: none)');
  const isHidden = isIdle && isVideo;
  useEffect(() => {
    if (media) takeSound(media);
  }, [media]);
  usePlayerKeys(media, wake);
  useTaps(stage, media, {
    onClick: () => media && togglePlaying(media),
    onDoubleClick: () => media && canShowFullscreen(media) && toggleVideoFullscreen(media),
    onTap: (isCentre) => {
      if (isCentre && !isHidden && media) togglePlaying(media);
      else toggle();
    },
  });
  if (!media || !state || state.hasFailed) return null;
  return (
    <div data-part="player" className="player" data-hidden={isHidden || undefined}>
      {isVideo && <Sign state={state} isAlways={isTouch && !isHidden} />}
      <div ref={cornerOverlay} className="player-shade">
        <div
          ref={bar}
          className="player-bar"
          role="group"
          aria-label={t('Playback')}
          onFocus={wake}
          onKeyDown={(event) => passOn(event, stage)}
          // The focus stays in the lightbox, whose arrows lead to the next photo.
          onMouseDown={(event) => event.preventDefault()}
        >
          <IconButton
            icon={findIcon(state)}
            label={state.isPlaying ? t('Pause') : t('Play')}
            aria-keyshortcuts="k Space"
            onClick={() => togglePlaying(media)}
          />
          <SeekBar media={media} state={state} marks={marks} renderFrame={renderFrame} />
          <Sound media={media} state={state} />
          <div className="player-actions">
            {children}
            <ScreenButtons media={media} state={state} />
          </div>
        </div>
      </div>
    </div>
  );
}

const findIcon = ({ isPlaying, hasEnded }: VideoState) =>
  isPlaying ? Pause : hasEnded ? RotateCcw : Play;

/** In the middle of the video: that it waits, what a tap does there, or that it stands at an end. */
function Sign({ state, isAlways }: { state: VideoState; isAlways: boolean }) {
  if (state.isWaiting) return <span data-part="waiting" className="player-spinner" />;
  const isAtEnd = !state.isPlaying && (state.hasEnded || state.position === 0);
  if (!isAlways && !isAtEnd) return null;
  const icon = findIcon(state);
  return (
    <span className="player-sign" aria-hidden>
      {createElement(icon, { size: 32, fill: icon === RotateCcw ? 'none' : 'currentColor' })}
    </span>
  );
}

type ShownProps = { media: HTMLMediaElement; state: VideoState };

/** Phones have their own buttons for the volume: there it cannot be set. */
function Sound({ media, state: { volume, isMuted } }: ShownProps) {
  const heard = isMuted ? 0 : volume;
  return (
    <div className="player-sound">
      <IconButton
        icon={heard === 0 ? VolumeX : Volume2}
        label={heard === 0 ? t('Sound on') : t('Sound off')}
        aria-keyshortcuts="m"
        onClick={() => toggleSound(media)}
      />
      <Slider
        label={t('Volume')}
        text={`${Math.round(heard * 100)} %`}
        value={heard}
        getValue={() => (media.muted ? 0 : media.volume)}
        max={1}
        step={0.05}
        className="player-volume"
        onChange={(to) => setVolume(media, to)}
      />
    </div>
  );
}

function ScreenButtons({ media, state: { isFullscreen } }: ShownProps) {
  return (
    <>
      {canPictureInPicture(media) && (
        <IconButton
          icon={PictureInPicture2}
          label={t('Picture in picture')}
          className="player-wide"
          onClick={() => void attempt(() => togglePictureInPicture(media))}
        />
      )}
      {media instanceof HTMLVideoElement && canShowFullscreen(media) && (
        <IconButton
          icon={isFullscreen ? Minimize : Maximize}
          label={isFullscreen ? t('Leave full screen') : t('Full screen')}
          aria-keyshortcuts="Shift+F"
          onClick={() => toggleVideoFullscreen(media)}
        />
      )}
    </>
  );
}

/** An arrow that nothing in the bar has used leads to the next photo. */
function passOn({ key, defaultPrevented, target }: KeyboardEvent, stage: HTMLElement | null): void {
  if (defaultPrevented || (key !== 'ArrowLeft' && key !== 'ArrowRight')) return;
  if (target instanceof Element && target.closest('[role=menu], [role=slider]')) return;
  const lightbox = stage?.querySelector('.yarl__container');
  lightbox?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
}
