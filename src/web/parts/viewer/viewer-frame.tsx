import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { t } from '../../base/i18n.ts';
import { queueThumbhash } from '../grid/thumbhash.ts';
import { findTilePicture } from '../grid/tile-picture.ts';
import { thumbnailUrl } from '../grid/tile.tsx';
import { IconButton } from '../../ui/elements.tsx';
import { useKeyListener } from '../../ui/use-key-listener.ts';
import { assetQuery } from '../../data/viewer/queries.ts';
import styles from './viewer.module.css';

type Props = { id: string; onClose: () => void };

let framed: string | undefined;

/** Whether a photo was shown before the viewer was there. */
export const hasShownFrame = (id: string): boolean => framed === id;

/** The viewer until its code is here: a photo, blurred at first, and the way out. */
export function ViewerFrame({ id, onClose }: Props) {
  useEffect(() => {
    framed = id;
    // The viewer takes its place in the same turn.
    return () => void setTimeout(() => (framed = undefined));
  }, [id]);
  return createPortal(
    <div
      className={styles.frame}
      data-scheme="dark"
      role="dialog"
      aria-modal
      aria-label={t('Photo viewer')}
    >
      <FrameContent id={id} onClose={onClose} />
    </div>,
    document.body,
  );
}

/** The picture and Close, until the viewer knows the neighbours of the photo. */
export function FrameContent({ id, onClose }: Props) {
  // A photo that may not be seen is reported by the viewer.
  const { data } = useQuery({ ...assetQuery(id), retry: false });
  const blurred = useRef<HTMLSpanElement>(null);
  const hash = data?.thumbhash;
  // Before anything is known of the photo, its tile has the picture.
  const [early] = useState(() => findTilePicture(id)?.src);
  const thumbnail = hash ? thumbnailUrl(id, hash) : early;
  useEffect(() => {
    if (!hash || !blurred.current) return;
    return queueThumbhash(hash, blurred.current);
  }, [hash]);
  useKeyListener(({ key }) => {
    if (key === 'Escape') onClose();
  });
  const ratio = data?.width && data.height ? data.width / data.height : undefined;
  return (
    <div data-part="viewer-frame" className={styles.content}>
      <span ref={blurred} className={styles.blurred} style={{ aspectRatio: ratio }} />
      {thumbnail && <img src={thumbnail} alt="" />}
      <IconButton icon={X} label={t('Close')} className={styles.close} onClick={onClose} />
    </div>
  );
}

const PHOTO_PATH = /^(.*)\/photos\/([0-9a-f-]{36})$/;

/** Returns the photo of an address, and the address of the page below the viewer. */
export function parsePhotoPath(path: string): { id: string; base: string } | undefined {
  const [, base, id] = PHOTO_PATH.exec(path) ?? [];
  return id === undefined ? undefined : { id, base: base || '/photos' };
}
