import { type DragEvent, useState } from 'react';
import { createStore } from '../../base/store.ts';
import type { Tag } from '../../data/types.ts';
import styles from './tags.module.css';
import { t } from '../../base/i18n.ts';

/** The photos or the tag dragged within the page; files from outside are for the drop zone. */
export type Dragged = { kind: 'photos' } | { kind: 'tag'; tag: Tag };
export const dragged = createStore<Dragged | undefined>(undefined);

/** Where a finger scrolls, nothing is dragged. */
export const canDrag = (): boolean => globalThis.matchMedia?.('(pointer: fine)').matches ?? false;

export const dragPhotos = (event: DragEvent, count: number): void =>
  begin(event, { kind: 'photos' }, t('{count, plural, one {# item} other {# items}}', { count }));
export const dragTag = (event: DragEvent, tag: Tag): void =>
  begin(event, { kind: 'tag', tag }, tag.name);
export const endDrag = (): void => dragged.set(undefined);

function begin({ dataTransfer }: DragEvent, what: Dragged, text: string): void {
  // A dragged link would bring its address along.
  dataTransfer.clearData();
  dataTransfer.setData('application/x-safelight', what.kind);
  dataTransfer.effectAllowed = what.kind === 'tag' ? 'move' : 'copy';
  const label = document.createElement('div');
  label.className = styles.dragLabel ?? '';
  label.textContent = text;
  document.body.append(label);
  dataTransfer.setDragImage(label, -12, -12);
  // When its picture has been taken. A page that changes before that ends the drag.
  setTimeout(() => {
    label.remove();
    dragged.set(what);
  });
}

/** `isWanted`: what is dragged now may be dropped here. */
export function useDrop(isWanted: boolean, onDrop: () => void) {
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent) => {
    if (!isWanted) return;
    event.preventDefault();
    event.stopPropagation();
    setOver(true);
  };
  return {
    isOver: isWanted && isOver,
    handlers: {
      onDragEnter: over,
      onDragOver: over,
      onDragLeave(event: DragEvent) {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      },
      onDrop(event: DragEvent) {
        setOver(false);
        if (!isWanted) return;
        event.preventDefault();
        event.stopPropagation();
        endDrag();
        onDrop();
      },
    },
  };
}
