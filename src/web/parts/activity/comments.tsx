import { useQuery } from '@tanstack/react-query';
import { Heart, Send, Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { getPictureUrl } from '../../base/pictures.ts';
import { formatAgo, formatList } from '../../base/format.ts';
import { useMyId } from '../../data/session/session.ts';
import { attempt } from '../../ui/toast.tsx';
import type { Activity } from '../../data/types.ts';
import { Avatar, IconButton } from '../../ui/elements.tsx';
import {
  createComment,
  createLike,
  deleteActivity,
  type Subject,
} from '../../data/activity/activity-data.ts';
import { activitiesQuery } from '../../data/activity/queries.ts';
import { Dialog } from '../../ui/dialog.tsx';
import styles from './comments.module.css';
import { t } from '../../base/i18n.ts';

type Props = Subject & {
  /** The owner of an album may take away what others said. */
  isOwner: boolean;
  onClose: () => void;
};

/** Likes and comments of a shared album, or of one photo in it, ready to write one. */
export function CommentsDialog({ albumId, assetId, isOwner, onClose }: Props) {
  const me = useMyId();
  const subject = { albumId, assetId };
  const { data } = useQuery(activitiesQuery(subject));
  const [text, setText] = useState('');
  const isAbout = ({ assetId: other }: Activity) => other === (assetId ?? null);
  const likes = data?.filter((entry) => entry.type === 'like' && isAbout(entry)) ?? [];
  const comments = data?.filter((entry) => entry.type === 'comment') ?? [];
  const mine = likes.find(({ user }) => user.id === me);
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (!text.trim()) return;
    void attempt(async () => {
      await createComment(subject, text.trim());
      // Text that was typed meanwhile stays.
      setText((now) => (now === text ? '' : now));
    });
  };

  return (
    <Dialog title={t('Comments')} onClose={onClose} isWide>
      <p className={styles.likes}>
        {likes.length > 0 &&
          t('Liked by {names}', { names: formatList(likes.map(({ user }) => user.name)) })}
        <IconButton
          icon={Heart}
          label={mine ? t('Unlike') : t('Like')}
          isOn={mine !== undefined}
          className="small"
          onClick={() => void attempt(() => (mine ? deleteActivity(mine.id) : createLike(subject)))}
        />
      </p>
      <ul className={styles.comments}>
        {comments.map((entry) => (
          <li key={entry.id}>
            <Avatar name={entry.user.name} />
            <div className={styles.commentText}>
              <small>
                {entry.user.name}, {formatAgo(entry.createdAt)}
              </small>
              {entry.comment}
            </div>
            {!assetId && entry.assetId && <CommentPicture id={entry.assetId} />}
            {(isOwner || entry.user.id === me) && (
              <IconButton
                icon={Trash2}
                label={t('Delete the comment “{comment}”', {
                  comment: (entry.comment ?? '').slice(0, 40),
                })}
                className="small"
                onClick={() => void attempt(() => deleteActivity(entry.id))}
              />
            )}
          </li>
        ))}
      </ul>
      <form className={styles.commentForm} onSubmit={send}>
        <input
          aria-label={t('Write a comment')}
          placeholder={t('Write a comment')}
          maxLength={10_000}
          autoFocus
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => event.stopPropagation()}
        />
        <IconButton icon={Send} label={t('Send')} type="submit" disabled={!text.trim()} />
      </form>
    </Dialog>
  );
}

const CommentPicture = ({ id }: { id: string }) => (
  <img
    className={styles.commentPicture}
    src={getPictureUrl(id, 'thumbnail')}
    alt={t('The photo that this is about')}
    loading="lazy"
  />
);
