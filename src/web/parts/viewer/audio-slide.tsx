import { Music } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { AudioSlide as Slide } from 'yet-another-react-lightbox';
import { useAsset } from './use-asset.ts';
import styles from './viewer.module.css';
import { t } from '../../base/i18n.ts';

/** A sound file: its cover or a note, its name, and a player, which begins when its turn has come. */
export function AudioSlide({ slide, isCurrent }: { slide: Slide; isCurrent: boolean }) {
  const player = useRef<HTMLAudioElement>(null);
  const name = useAsset(slide.assetId ?? '')?.originalFileName;
  useEffect(() => {
    // Refused without a touch of the page before: then a press plays.
    if (isCurrent) void player.current?.play().catch(() => undefined);
    else player.current?.pause();
  }, [isCurrent]);
  return (
    <figure className={styles.audio} data-part="audio-slide">
      {slide.poster ? (
        <img className={styles.cover} src={slide.poster} alt="" />
      ) : (
        <span className={styles.note}>
          <Music size={96} strokeWidth={1.2} aria-hidden />
        </span>
      )}
      {name && <figcaption className={styles.name}>{name}</figcaption>}
      <audio ref={player} preload="metadata" src={slide.src} aria-label={t('Audio')} />
    </figure>
  );
}
