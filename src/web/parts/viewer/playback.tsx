import { useEffect, useRef, useState } from 'react';
import { checkConnection, whenOnline } from '../../base/connection.ts';
import { t } from '../../base/i18n.ts';
import { useShownVideo } from '../video/shown-media.ts';
import { playFile, playStream, type Position } from './video-stream.ts';
import styles from './viewer.module.css';

type Props = {
  /** Undefined for sound. */
  videoId: string | undefined;
  stage: HTMLElement;
  isCurrent: boolean;
  /** Whether the slide has no file, but waits for a stream. */
  isStreamed: boolean;
};

const FAULTS = {
  file: t('This file cannot be played here.'),
  connection: t('Offline: it plays when the server answers again.'),
} as const;

/**
 * Plays the stream of a video in its slide; where there is none, the file. Says so when the browser cannot play that
 * either: a damaged file, or a format of other programs. A file that did not come is loaded again when the server answers.
 */
export function Playback({ videoId, stage, isCurrent, isStreamed }: Props) {
  const host = useRef<HTMLParagraphElement>(null);
  const video = useShownVideo(isCurrent ? stage : null);
  const [fault, setFault] = useState<'file' | 'connection'>();
  /** Where the file goes on in place of the stream. */
  const [fileFrom, setFileFrom] = useState<Position>();
  const isFile = !isStreamed || fileFrom !== undefined;
  useEffect(() => {
    const slide = host.current?.closest('.yarl__slide');
    if (!slide || !isFile) return;
    const handleError = ({ target }: Event) => {
      const isOfMedia = target instanceof HTMLMediaElement || target instanceof HTMLSourceElement;
      const media = isOfMedia ? target.closest<HTMLMediaElement>('video, audio') : null;
      if (media) void explain(media);
    };
    const explain = async (media: HTMLMediaElement) => {
      if (await checkConnection()) return setFault('file');
      setFault('connection');
      await whenOnline();
      setFault(undefined);
      media.load();
    };
    // A browser that knows the sound and not the pictures plays the sound, and says nothing.
    const handleMetadata = ({ target }: Event) => {
      if (target instanceof HTMLVideoElement && target.videoWidth === 0) setFault('file');
    };
    // Events of media do not bubble.
    slide.addEventListener('error', handleError, true);
    slide.addEventListener('loadedmetadata', handleMetadata, true);
    return () => {
      slide.removeEventListener('error', handleError, true);
      slide.removeEventListener('loadedmetadata', handleMetadata, true);
    };
  }, [isFile]);
  useEffect(() => {
    const isOwn = host.current?.closest('.yarl__slide')?.contains(video);
    if (!video || !videoId || !isOwn || !isCurrent || !isStreamed) return undefined;
    if (fileFrom === undefined) return playStream(video, videoId, setFileFrom);
    playFile(video, videoId, fileFrom);
    return undefined;
  }, [video, videoId, isCurrent, isStreamed, fileFrom]);
  return (
    <p ref={host} role="status" className={styles.playbackError}>
      {fault && FAULTS[fault]}
    </p>
  );
}
