import { ChevronRight, Folder as FolderIcon, FolderOpen } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { type Folder, listAncestors, listOnlyFolders, listVisible } from './tree.ts';
import { formatNumber } from '../../base/format.ts';
import styles from './folders.module.css';
import { t } from '../../base/i18n.ts';

type Props = {
  tree: readonly Folder[];
  /** Items by path, together with those below; empty until they are known. */
  counts: ReadonlyMap<string, number>;
  chosen: string | undefined;
  onChoose: (path: string) => void;
};

/** A tree as in the ARIA Authoring Practices: one tab stop, arrow keys, Home, End, Enter and Space. */
export function FolderTree({ tree, counts, chosen, onChoose }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState(chosen);
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const expanded = toExpanded(tree, chosen, toggled);
  const rows = listVisible(tree, expanded);
  const found = rows.findIndex(({ folder }) => folder.path === current);
  const at = Math.max(0, found);

  const focus = (path: string | undefined) => {
    if (path === undefined) return;
    setCurrent(path);
    box.current?.querySelector<HTMLElement>(`[data-path="${CSS.escape(path)}"]`)?.focus();
  };
  const toggle = (path: string) => setToggled((old) => new Map(old).set(path, !expanded.has(path)));

  const handle = (key: string): boolean => {
    const row = rows[at];
    if (!row) return false;
    const { folder, parent } = row;
    const canExpand = folder.children.length > 0;
    const isExpanded = canExpand && expanded.has(folder.path);
    if (key === 'ArrowDown') focus(rows[at + 1]?.folder.path);
    else if (key === 'ArrowUp') focus(rows[at - 1]?.folder.path);
    else if (key === 'Home') focus(rows[0]?.folder.path);
    else if (key === 'End') focus(rows.at(-1)?.folder.path);
    else if (key === 'ArrowRight') {
      if (isExpanded) focus(rows[at + 1]?.folder.path);
      else if (canExpand) toggle(folder.path);
    } else if (key === 'ArrowLeft') {
      if (isExpanded) toggle(folder.path);
      else focus(parent);
    } else if (key === 'Enter' || key === ' ') onChoose(folder.path);
    else return false;
    return true;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || !handle(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div ref={box} role="tree" aria-label={t('Folders')} onKeyDown={onKeyDown}>
      {rows.map(({ folder, level }, index) => (
        <Row
          key={folder.path}
          folder={folder}
          level={level}
          count={counts.get(folder.path)}
          isChosen={folder.path === chosen}
          isExpanded={expanded.has(folder.path)}
          isTabStop={index === at}
          onFocus={() => setCurrent(folder.path)}
          onChoose={() => onChoose(folder.path)}
          onToggle={() => toggle(folder.path)}
        />
      ))}
    </div>
  );
}

/** Folders are expanded down to the first choice and to the chosen one, unless a person said otherwise. */
function toExpanded(
  tree: readonly Folder[],
  chosen: string | undefined,
  toggled: ReadonlyMap<string, boolean>,
): ReadonlySet<string> {
  const above = chosen === undefined ? [] : listAncestors(chosen).slice(0, -1);
  const expanded = new Set([...listOnlyFolders(tree), ...above]);
  for (const [path, isExpanded] of toggled) {
    if (isExpanded) expanded.add(path);
    else expanded.delete(path);
  }
  return expanded;
}

const formatItems = (count: number) =>
  t('{count, plural, one {# item} other {# items}}', { count });

type RowProps = {
  folder: Folder;
  level: number;
  count: number | undefined;
  isChosen: boolean;
  isExpanded: boolean;
  isTabStop: boolean;
  onFocus: () => void;
  onChoose: () => void;
  onToggle: () => void;
};

function Row({ folder, level, count, isChosen, isExpanded, isTabStop, ...on }: RowProps) {
  const canExpand = folder.children.length > 0;
  const Icon = isChosen ? FolderOpen : FolderIcon;
  return (
    <div
      data-path={folder.path}
      role="treeitem"
      aria-level={level}
      aria-description={count === undefined ? undefined : formatItems(count)}
      aria-selected={isChosen}
      aria-expanded={canExpand ? isExpanded : undefined}
      tabIndex={isTabStop ? 0 : -1}
      className={styles.row}
      style={{ paddingInlineStart: 6 + (level - 1) * 16 }}
      onFocus={on.onFocus}
      onClick={on.onChoose}
    >
      <span
        className={styles.fold}
        aria-hidden
        onClick={(event) => {
          event.stopPropagation();
          if (canExpand) on.onToggle();
        }}
      >
        {canExpand && <ChevronRight size={16} />}
      </span>
      <Icon size={18} aria-hidden />
      <span className={styles.name}>{folder.name}</span>
      <span className={`muted ${styles.count}`} aria-hidden>
        {count !== undefined && formatNumber(count)}
      </span>
    </div>
  );
}
