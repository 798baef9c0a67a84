import { Archive, ArchiveRestore, Download, FolderMinus, FolderPlus, Heart, X } from 'lucide-react';
import { useState } from 'react';
import { AlbumPicker } from '../albums/picker.tsx';
import { removeFromAlbum } from '../albums/album-data.ts';
import { formatCount } from '../format.ts';
import { IconButton } from '../ui/parts.tsx';
import { download, setFavorite, setVisibility } from './asset-actions.ts';
import type { Plan } from './sections.ts';
import type { Timeline } from './timeline-data.ts';

type Props = { ids: ReadonlySet<string>; plan: Plan; timeline: Timeline; onDone: () => void };

/** What can be done with the chosen photos. Always in the page, so that its text is announced. */
export function SelectionBar({ ids, plan, timeline, onDone }: Props) {
  const [isPicking, setPicking] = useState(false);
  const { albumId, visibility } = timeline.filter;
  const isFavorite = ids.size > 0 && areFavorite(ids, plan);
  const isArchive = visibility === 'archive';
  const then = (work: Promise<unknown>) => void work.then((isDone) => isDone && onDone());
  return (
    <div className={ids.size > 0 ? 'selection-bar' : 'selection-bar away'} inert={ids.size === 0}>
      <IconButton icon={X} label="Clear selection" onClick={onDone} />
      <span className="selection-count" role="status">
        {ids.size > 0 ? `${formatCount(ids.size, 'item')} selected` : ''}
      </span>
      <IconButton
        icon={Heart}
        label={isFavorite ? 'Remove from favourites' : 'Add to favourites'}
        isOn={isFavorite}
        onClick={() => then(setFavorite(timeline, ids, !isFavorite))}
      />
      <IconButton icon={FolderPlus} label="Add to album" onClick={() => setPicking(true)} />
      {albumId && (
        <IconButton
          icon={FolderMinus}
          label="Remove from this album"
          onClick={() => then(removeFromAlbum(albumId, [...ids]))}
        />
      )}
      <IconButton
        icon={isArchive ? ArchiveRestore : Archive}
        label={isArchive ? 'Move back to the timeline' : 'Archive'}
        onClick={() => then(setVisibility(ids, isArchive ? 'timeline' : 'archive'))}
      />
      <IconButton icon={Download} label="Download" onClick={() => void download([...ids])} />
      {isPicking && (
        <AlbumPicker
          ids={[...ids]}
          onClose={(isDone) => {
            setPicking(false);
            if (isDone) onDone();
          }}
        />
      )}
    </div>
  );
}

function areFavorite(ids: ReadonlySet<string>, plan: Plan): boolean {
  let found = 0;
  for (const { month } of plan.sections) {
    const { columns } = month;
    if (!columns) continue;
    for (const [item, id] of columns.id.entries()) {
      if (!ids.has(id)) continue;
      if (!columns.isFavorite[item]) return false;
      found++;
    }
  }
  return found > 0;
}
