import { ImagePlus, Images } from 'lucide-react';
import { useState } from 'react';
import { getTimeline } from '../../data/timeline/timeline-data.ts';
import { TimelineView } from '../../parts/timeline/timeline-view.tsx';
import type { Album } from '../../data/types.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/elements.tsx';
import { addToAlbum } from '../../data/albums/album-data.ts';
import styles from '../../ui/collections.module.css';
import { t } from '../../base/i18n.ts';

/** Only what belongs to the account: partners' photos cannot be added. */
const OWN = { visibility: 'timeline', withStacked: true } as const;

type Props = { album: Pick<Album, 'id' | 'albumName'>; onClose: () => void };

type ButtonProps = { album: Props['album']; isPrimary?: boolean };

/** Opens the timeline to choose photos for an album. */
export function AddPhotosButton({ album, isPrimary = false }: ButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        className={isPrimary ? 'button primary' : 'button small'}
        onClick={() => setOpen(true)}
      >
        <ImagePlus size={18} aria-hidden /> {t('Add photos')}
      </button>
      {isOpen && <AddPhotosDialog album={album} onClose={() => setOpen(false)} />}
    </>
  );
}

/** The timeline, to choose what goes into an album. */
function AddPhotosDialog({ album, onClose }: Props) {
  const [isBusy, setBusy] = useState(false);
  const albumName = album.albumName || t('Untitled');
  const add = async (ids: ReadonlySet<string>) => {
    setBusy(true);
    if (await addToAlbum({ id: album.id, albumName }, [...ids])) onClose();
    else setBusy(false);
  };
  return (
    <Dialog title={t('Add photos to “{albumName}”', { albumName })} onClose={onClose} isWide>
      <div className={styles.photos}>
        <TimelineView
          timeline={getTimeline(OWN)}
          title={t('Photos')}
          base="/photos"
          photoId={undefined}
          empty={
            <Empty
              icon={Images}
              title={t('No photos yet')}
              text={t('Drop photos, videos or whole folders anywhere on this page.')}
            />
          }
          pick={(ids) => (
            <div className={styles.actions}>
              <p role="status">
                {ids.size > 0
                  ? t('{count, plural, one {# item} other {# items}} selected', {
                      count: ids.size,
                    })
                  : t('Choose photos')}
              </p>
              <button
                className="button primary"
                disabled={ids.size === 0 || isBusy}
                onClick={() => void add(ids)}
              >
                {t('Add to album')}
              </button>
            </div>
          )}
        />
      </div>
    </Dialog>
  );
}
