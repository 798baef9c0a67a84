import { type RefObject, useEffect, useRef } from 'react';
import { getPictureUrl, playbackUrl } from '../../base/pictures.ts';
import { createStore, useStore } from '../../base/store.ts';
import type { Asset } from '../../data/types.ts';
import styles from './player.module.css';

/** Also switched on where the browser refuses to begin with sound. */
export const isMuted = createStore(false);

type Props = {
  asset: Asset;
  alt: string;
  isPlaying: boolean;
  onReady: () => void;
  onProgress: (part: number) => void;
  onEnd: () => void;
};

export function Slide(props: Props) {
  const { asset, alt, onReady } = props;
  const { id, thumbhash } = asset;
  return (
    <>
      <img
        className={styles.backdrop}
        src={getPictureUrl(id, 'thumbnail', thumbhash)}
        alt=""
        draggable={false}
      />
      {asset.type === 'VIDEO' ? (
        <Film {...props} />
      ) : (
        <img
          className={styles.picture}
          src={getPictureUrl(id, 'preview', thumbhash)}
          alt={alt}
          draggable={false}
          onLoad={onReady}
          // It is passed over in its time, too.
          onError={onReady}
        />
      )}
    </>
  );
}

function Film({ asset, alt, isPlaying, onReady, onProgress, onEnd }: Props) {
  const film = useRef<HTMLVideoElement>(null);
  const isSilent = useStore(isMuted);
  useEffect(() => {
    if (!film.current) return;
    if (isPlaying) void play(film as RefObject<HTMLVideoElement>);
    else film.current.pause();
  }, [isPlaying]);
  return (
    <video
      ref={film}
      className={styles.picture}
      src={playbackUrl(asset.id)}
      poster={getPictureUrl(asset.id, 'preview', asset.thumbhash)}
      aria-label={alt}
      muted={isSilent}
      playsInline
      disablePictureInPicture
      onLoadedData={onReady}
      onTimeUpdate={({ currentTarget: { currentTime, duration } }) => {
        if (duration > 0) onProgress(currentTime / duration);
      }}
      onEnded={onEnd}
      onError={onEnd}
    />
  );
}

async function play({ current: film }: RefObject<HTMLVideoElement>): Promise<void> {
  try {
    await film.play();
  } catch (error) {
    const isRefused = error instanceof DOMException && error.name === 'NotAllowedError';
    if (!isRefused || film.muted) return;
    film.muted = true;
    isMuted.set(true);
    await film.play().catch(() => undefined);
  }
}

/** Fetches the picture that comes next, while the one before it is shown. */
export function usePreload(asset: Asset | undefined): void {
  useEffect(() => {
    if (asset) new Image().src = getPictureUrl(asset.id, 'preview', asset.thumbhash);
  }, [asset]);
}
