import { useQuery } from '@tanstack/react-query';
import { Heart, MessageCircle } from 'lucide-react';
import { useState } from 'react';
import { createLike, deleteActivity } from '../../data/activity/activity-data.ts';
import { activitiesQuery } from '../../data/activity/queries.ts';
import { findOwner } from '../../data/albums/album-data.ts';
import { albumQuery } from '../../data/albums/queries.ts';
import { formatNumber } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { useMyId } from '../../data/session/session.ts';
import { attempt } from '../../ui/toast.tsx';
import { CommentsDialog } from '../activity/comments.tsx';
import styles from './viewer.module.css';

type Props = { albumId: string; assetId: string };

/** Likes and comments of a photo in a shared album: a heart to press, and how many there are. */
export function ActivityPill({ albumId, assetId }: Props) {
  const { data: album } = useQuery(albumQuery(albumId));
  const isShown = album !== undefined && album.shared && album.isActivityEnabled;
  const [isOpen, setOpen] = useState(false);
  const me = useMyId();
  const subject = { albumId, assetId };
  const { data } = useQuery({ ...activitiesQuery(subject), enabled: isShown });
  if (!isShown) return null;
  const likes = data?.filter(({ type }) => type === 'like') ?? [];
  const comments = data?.filter(({ type }) => type === 'comment') ?? [];
  const mine = likes.find(({ user }) => user.id === me);
  const toggle = () => attempt(() => (mine ? deleteActivity(mine.id) : createLike(subject)));
  return (
    <>
      <div data-part="activity" className={styles.pill}>
        <button
          aria-pressed={mine !== undefined}
          title={likes.map(({ user }) => user.name).join(', ')}
          onClick={() => void toggle()}
        >
          <Heart size={20} aria-hidden fill={mine ? 'currentColor' : 'none'} />
          <span className="hidden-title">{mine ? t('Unlike') : t('Like')}</span>
          {likes.length > 0 && formatNumber(likes.length)}
        </button>
        <button aria-haspopup="dialog" onClick={() => setOpen(true)}>
          <MessageCircle size={20} aria-hidden />
          <span className="hidden-title">{t('Comments')}</span>
          {comments.length > 0 && formatNumber(comments.length)}
        </button>
      </div>
      {isOpen && (
        <CommentsDialog
          {...subject}
          isOwner={findOwner(album)?.id === me}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
