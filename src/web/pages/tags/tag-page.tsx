import { Pin, PinOff, Tag as TagIcon } from 'lucide-react';
import { Fragment, useEffect } from 'react';
import { Link } from 'wouter';
import { isPinned, togglePin } from '../../data/pins/pin-data.ts';
import { usePins } from '../../data/pins/queries.ts';
import { getTimeline } from '../../data/timeline/timeline-data.ts';
import { TimelineView } from '../../parts/timeline/timeline-view.tsx';
import { Empty, IconButton } from '../../ui/elements.tsx';
import { useTags } from '../../data/tags/queries.ts';
import { TagDot } from '../../parts/tags/tag-dot.tsx';
import { getPath } from '../../parts/tags/tree.ts';
import styles from '../../parts/tags/tags.module.css';
import { t } from '../../base/i18n.ts';

type Props = { tagId: string; photoId: string | undefined };

/** Photos with a tag, or one below it. */
export function TagPage({ tagId, photoId }: Props) {
  const { data: tags, isFetching } = useTags();
  const pins = usePins();
  const path = getPath(tags?.list ?? [], tagId);
  const tag = path.at(-1);
  useEffect(() => {
    if (tag) document.title = `${tag.name} · Safelight`;
  }, [tag]);
  if (tags && !tag && !isFetching) {
    return (
      <Empty icon={TagIcon} title={t('This tag is gone')} text={t('It may have been deleted.')}>
        <Link href="/tags" className="button">
          {t('To all tags')}
        </Link>
      </Empty>
    );
  }
  const isPin = isPinned(pins, 'tag', tagId);
  const below = (tags?.list ?? []).filter(({ parentId }) => parentId === tagId);
  return (
    <TimelineView
      timeline={getTimeline({ tagId })}
      title={tag?.name ?? t('Tag')}
      base={`/tags/${tagId}`}
      photoId={photoId}
      head={
        <header className="view-head">
          <nav className={styles.crumbs} aria-label={t('Tags above')}>
            <Link href="/tags">{t('Tags')}</Link>
            {path.slice(0, -1).map(({ id, name }) => (
              <Fragment key={id}>
                <span aria-hidden>/</span>
                <Link href={`/tags/${id}`}>{name}</Link>
              </Fragment>
            ))}
          </nav>
          <div className="view-title">
            <TagDot color={tag?.color} />
            <h2>{tag?.name}</h2>
            <IconButton
              icon={isPin ? PinOff : Pin}
              label={isPin ? t('Unpin') : t('Pin to the side')}
              onClick={() => void togglePin('tag', tagId)}
            />
          </div>
          {below.length > 0 && (
            <ul className="chips" aria-label={t('Tags below')}>
              {below.map(({ id, name, color }) => (
                <li key={id}>
                  <Link href={`/tags/${id}`} className="chip">
                    <TagDot color={color} /> {name}
                  </Link>
                </li>
              ))}
            </ul>
          )}
        </header>
      }
      empty={
        <Empty
          icon={TagIcon}
          title={t('Nothing has this tag')}
          text={t('Choose photos on the timeline and tag them.')}
        >
          <Link href="/photos" className="button">
            {t('To the photos')}
          </Link>
        </Empty>
      }
    />
  );
}
