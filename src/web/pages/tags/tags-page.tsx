import {
  ArrowUpToLine,
  ChevronRight,
  CornerDownRight,
  Pencil,
  Pin,
  PinOff,
  Plus,
  Tags as TagsIcon,
  Trash2,
} from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { isPinned, togglePin } from '../../data/pins/pin-data.ts';
import { usePins } from '../../data/pins/queries.ts';
import { useStore } from '../../base/store.ts';
import { attempt } from '../../ui/toast.tsx';
import type { Tag } from '../../data/types.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Empty, Page } from '../../ui/elements.tsx';
import { canDrag, dragged, dragTag, endDrag, useDrop } from '../../parts/tags/dragging.ts';
import { MoveDialog } from './move-dialog.tsx';
import { useTags } from '../../data/tags/queries.ts';
import { deleteTag, moveTag } from '../../data/tags/tag-data.ts';
import { TagDialog } from './tag-dialog.tsx';
import { TagDot } from '../../parts/tags/tag-dot.tsx';
import { type Node, listMoveTargets, toTree } from '../../parts/tags/tree.ts';
import styles from '../../parts/tags/tags.module.css';
import { t } from '../../base/i18n.ts';
import { formatNumber } from '../../base/format.ts';

type Open =
  { kind: 'new'; parent?: Tag } | { kind: 'edit' | 'move' | 'delete'; tag: Tag } | undefined;

export function TagsPage() {
  const { data: tags, error } = useTags();
  const [open, setOpen] = useState<Open>();
  const tree = tags ? toTree(tags.list, tags.counts) : [];
  const close = () => setOpen(undefined);
  const button = (
    <button className="button" onClick={() => setOpen({ kind: 'new' })}>
      <Plus size={18} aria-hidden /> {t('New tag')}
    </button>
  );
  return (
    <Page title={t('Tags')} actions={button}>
      {error && <p role="alert">{error.message}</p>}
      {tags && tree.length === 0 && (
        <Empty
          icon={TagsIcon}
          title={t('No tags yet')}
          text={t('Choose photos and tag them, or make a tag here. Tags can be nested.')}
        />
      )}
      <Branches nodes={tree} onOpen={setOpen} />
      <TopTarget />
      {open?.kind === 'new' && <TagDialog parent={open.parent} onClose={close} />}
      {open?.kind === 'edit' && <TagDialog tag={open.tag} onClose={close} />}
      {open?.kind === 'move' && <MoveDialog tag={open.tag} onClose={close} />}
      {open?.kind === 'delete' && (
        <Confirm
          title={t('Delete the tag “{name}”?', { name: open.tag.name })}
          text={t('The tags below it go too. Photos stay as they are.')}
          action={t('Delete tag')}
          onClose={close}
          onConfirm={() => void attempt(() => deleteTag(open.tag.id), t('Tag deleted'))}
        />
      )}
    </Page>
  );
}

type BranchProps = { nodes: readonly Node[]; onOpen: (open: Open) => void };

const Branches = ({ nodes, onOpen }: BranchProps) =>
  nodes.length === 0 ? null : (
    <ul className={styles.tree}>
      {nodes.map((node) => (
        <Branch key={node.tag.id} node={node} onOpen={onOpen} />
      ))}
    </ul>
  );

function Branch({ node, onOpen }: { node: Node; onOpen: (open: Open) => void }) {
  const { tag, count, children } = node;
  const [isOpen, setIsOpen] = useState(true);
  const isPin = isPinned(usePins(), 'tag', tag.id);
  const moving = useStore(dragged, (what) => (what?.kind === 'tag' ? what.tag : undefined));
  const isPlace = moving !== undefined && listMoveTargets([tag], moving).length > 0;
  const { isOver, handlers } = useDrop(isPlace, () => void (moving && moveTag(moving, tag)));
  return (
    <li>
      <div
        data-part="tree-row"
        data-over={isOver || undefined}
        className={isOver ? `${styles.treeRow} ${styles.over}` : styles.treeRow}
        draggable={canDrag()}
        onDragStart={(event) => dragTag(event, tag)}
        onDragEnd={endDrag}
        {...handlers}
      >
        {children.length > 0 ? (
          <button
            className={`icon-button small ${styles.treeFold}`}
            aria-label={
              isOpen ? t('Fold {name}', { name: tag.name }) : t('Unfold {name}', { name: tag.name })
            }
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
          >
            <ChevronRight size={16} aria-hidden />
          </button>
        ) : (
          <span className={styles.treeLeaf} />
        )}
        <Link href={`/tags/${tag.id}`} className={styles.treeLink} draggable={false}>
          <TagDot color={tag.color} />
          <span className={styles.treeName}>{tag.name}</span>
          <span className={styles.treeCount}>{formatNumber(count)}</span>
        </Link>
        <Menu
          label={t('More about {name}', { name: tag.name })}
          entries={[
            {
              icon: Plus,
              label: t('New tag below'),
              run: () => onOpen({ kind: 'new', parent: tag }),
            },
            { icon: Pencil, label: t('Rename, color'), run: () => onOpen({ kind: 'edit', tag }) },
            { icon: CornerDownRight, label: t('Move'), run: () => onOpen({ kind: 'move', tag }) },
            {
              icon: isPin ? PinOff : Pin,
              label: isPin ? t('Unpin') : t('Pin to the side'),
              run: () => void togglePin('tag', tag.id),
            },
            { icon: Trash2, label: t('Delete'), run: () => onOpen({ kind: 'delete', tag }) },
          ]}
        />
      </div>
      {isOpen && <Branches nodes={children} onOpen={onOpen} />}
    </li>
  );
}

/** Below everything while a tag is dragged that hangs below another. */
function TopTarget() {
  const moving = useStore(dragged, (what) => (what?.kind === 'tag' ? what.tag : undefined));
  const { isOver, handlers } = useDrop(true, () => void (moving && moveTag(moving, undefined)));
  if (!moving?.parentId) return null;
  return (
    <div
      data-over={isOver || undefined}
      className={isOver ? `${styles.treeTop} ${styles.over}` : styles.treeTop}
      aria-hidden
      {...handlers}
    >
      <ArrowUpToLine size={18} /> {t('To the top')}
    </div>
  );
}
