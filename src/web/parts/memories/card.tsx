import { Link } from 'wouter';
import { getPictureUrl } from '../../base/pictures.ts';
import type { Memory } from '../../data/types.ts';
import { playlist } from '../../data/memories/memory-data.ts';
import styles from './memories.module.css';
import { t } from '../../base/i18n.ts';

type Props = {
  memory: Memory;
  /** The player goes on with those after it. */
  memories: readonly Memory[];
  /** Path of the page. */
  from: string;
};

export function MemoryCard({ memory, memories, from }: Props) {
  const { id, name, assets, seenAt } = memory;
  const cover = assets[0];
  return (
    <Link
      href={`/memories/${id}`}
      className={styles.card}
      data-part="memory-card"
      data-new={seenAt === undefined || undefined}
      onClick={() => playlist.set({ memories, from })}
    >
      {cover && (
        <img
          src={getPictureUrl(cover.id, 'thumbnail', cover.thumbhash)}
          alt=""
          loading="lazy"
          decoding="async"
          draggable={false}
        />
      )}
      <span>
        {seenAt === undefined && <span className="hidden-title">{t('New:')} </span>}
        {name ?? t('Memory')}
      </span>
    </Link>
  );
}
