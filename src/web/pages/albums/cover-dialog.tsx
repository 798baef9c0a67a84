import { useEffect, useRef, useState } from 'react';
import { formatMonth } from '../../base/format.ts';
import { getPictureUrl } from '../../base/pictures.ts';
import { useStore } from '../../base/store.ts';
import { getTimeline } from '../../data/timeline/timeline-data.ts';
import { attempt, showUndo } from '../../ui/toast.tsx';
import type { Album } from '../../data/types.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { toAlbumFilter } from '../../parts/albums/album-filter.ts';
import { changeAlbum } from '../../data/albums/album-data.ts';
import styles from '../../ui/collections.module.css';
import { t } from '../../base/i18n.ts';

type Props = { album: Album; onClose: () => void };

/** Chooses the picture that stands for an album, among those in it. */
export function CoverDialog({ album, onClose }: Props) {
  const timeline = getTimeline(toAlbumFilter(album));
  const months = useStore(timeline.state, (state) => state.months);
  const [shownMonths, setShownMonths] = useState(1);
  const shown = months.slice(0, shownMonths);
  const missing = shown.filter((month) => !month.columns).map(({ key }) => key);
  const missingKey = missing.join();
  useEffect(() => {
    if (missingKey) void timeline.loadMonths(missingKey.split(','));
  }, [timeline, missingKey]);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const target = end.current;
    if (!target || missingKey || shownMonths >= months.length) return;
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) setShownMonths(shownMonths + 1);
    });
    observer.observe(target);
    return () => observer.disconnect();
  }, [missingKey, shownMonths, months.length]);

  const choose = async (id: string) => {
    const before = album.albumThumbnailAssetId;
    onClose();
    const set = (cover: string) => changeAlbum(album.id, { albumThumbnailAssetId: cover });
    if (!(await attempt(() => set(id))) || before === null || before === id) return;
    showUndo(t('Cover changed'), () => attempt(() => set(before)));
  };
  return (
    <Dialog title={t('Choose cover')} onClose={onClose} isWide>
      <div className={styles.covers} aria-busy={missing.length > 0}>
        {shown.flatMap((month) =>
          (month.columns?.id ?? []).map((id, index) => (
            <button
              key={id}
              aria-label={t('Photo {number} of {month}', {
                number: index + 1,
                month: formatMonth(month.key),
              })}
              aria-pressed={id === album.albumThumbnailAssetId}
              onClick={() => void choose(id)}
            >
              <img src={getPictureUrl(id, 'thumbnail')} alt="" loading="lazy" decoding="async" />
            </button>
          )),
        )}
        <div ref={end} />
      </div>
    </Dialog>
  );
}
