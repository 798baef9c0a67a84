import { useQuery } from '@tanstack/react-query';
import { createPortal } from 'react-dom';
import { useStore } from '../../base/store.ts';
import type { Tag } from '../../data/types.ts';
import { dragged, useDrop } from './dragging.ts';
import { tagsQuery } from '../../data/tags/queries.ts';
import { tagAssets } from '../../data/tags/tag-data.ts';
import { TagDot } from './tag-dot.tsx';
import { type Node, toTree } from './tree.ts';
import styles from './tags.module.css';
import { t } from '../../base/i18n.ts';

type Props = { ids: readonly string[]; onDone: () => void };

/** While photos are dragged: all tags, to drop them on. Without a mouse the dialog does the same. */
export function TagDropPanel({ ids, onDone }: Props) {
  const isDragging = useStore(dragged, (what) => what?.kind === 'photos');
  const { data: tags } = useQuery({ ...tagsQuery(), enabled: isDragging });
  if (!isDragging || ids.length === 0) return null;
  const nodes = tags ? toTree(tags.list, tags.counts) : [];
  const drop = (tag: Tag) =>
    void tagAssets(tag, ids).then((isDone) => {
      if (isDone) onDone();
    });
  return createPortal(
    <aside data-part="tag-drop" className={styles.tagDrop} aria-hidden>
      <h2>{t('Drop on a tag')}</h2>
      {tags && nodes.length === 0 && (
        <p className="muted">{t('There are no tags yet. The button with the tag makes one.')}</p>
      )}
      <Targets nodes={nodes} onDrop={drop} />
    </aside>,
    document.body,
  );
}

type TargetsProps = { nodes: readonly Node[]; onDrop: (tag: Tag) => void };

const Targets = ({ nodes, onDrop }: TargetsProps) =>
  nodes.length === 0 ? null : (
    <ul>
      {nodes.map(({ tag, children }) => (
        <li key={tag.id}>
          <Target tag={tag} onDrop={onDrop} />
          <Targets nodes={children} onDrop={onDrop} />
        </li>
      ))}
    </ul>
  );

function Target({ tag, onDrop }: { tag: Tag; onDrop: (tag: Tag) => void }) {
  const { isOver, handlers } = useDrop(true, () => onDrop(tag));
  return (
    <div
      data-part="tag-target"
      data-over={isOver || undefined}
      className={isOver ? `${styles.tagTarget} ${styles.over}` : styles.tagTarget}
      {...handlers}
    >
      <TagDot color={tag.color} /> {tag.name}
    </div>
  );
}
