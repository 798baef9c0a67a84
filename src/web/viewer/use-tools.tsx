import {
  Archive,
  ArchiveRestore,
  Crop,
  Download,
  Heart,
  LockKeyholeOpen,
  type LucideIcon,
  ScanFace,
  Trash2,
} from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { isGuest } from '../api.ts';
import { archiveAssets } from '../archive/operations.ts';
import { EditDialog } from '../edits/edit-dialog.tsx';
import { unlockAssets } from '../locked/lock-actions.ts';
import { FacesDialog } from '../people/faces-dialog.tsx';
import { useStore } from '../store.ts';
import { download, setFavorite, unarchive } from '../timeline/asset-actions.ts';
import type { Rights } from '../timeline/selection-actions.tsx';
import type { Timeline } from '../timeline/timeline-data.ts';
import { ReviewDialog } from '../trash/review-dialog.tsx';
import { moveToTrash, restore } from '../trash/trash-actions.ts';
import type { Asset } from '../types.ts';
import { t } from '../i18n.ts';

type Options = {
  id: string;
  asset: Asset | undefined;
  isMine: boolean;
  timeline: Timeline;
  may: Rights;
  /** The photo is not on this timeline any more. */
  leave: () => void;
  /** The server is making another picture of it. */
  onEdited: () => void;
};
type Tool = { icon: LucideIcon; label: string; run: () => void; isOn?: boolean };

/** The tools for the shown photo, and the dialog of the one that is in use. */
export function useTools({ id, asset, isMine, timeline, may, leave, onEdited }: Options): {
  tools: Tool[];
  shortcuts: Readonly<Record<string, () => void>>;
  dialog: ReactNode;
} {
  const [dialogName, setDialogName] = useState<'edit' | 'delete' | 'faces'>();
  const isFavorite = useFavorite(timeline, id) ?? asset?.isFavorite ?? false;
  const ids = new Set([id]);
  const leaveAfter = (work: Promise<boolean>) => void work.then((isDone) => isDone && leave());
  const favorite = () => void setFavorite(timeline, ids, !isFavorite);
  const trash = () => leaveAfter(moveToTrash(ids));
  const save: Tool = { icon: Download, label: t('Download'), run: () => void download([id]) };
  const dialog = (
    <>
      {dialogName === 'delete' && (
        <ReviewDialog
          what={{ action: 'delete', assetIds: [id] }}
          onClose={(isDone) => {
            setDialogName(undefined);
            if (isDone) leave();
          }}
        />
      )}
      {dialogName === 'faces' && asset && (
        <FacesDialog asset={asset} onClose={() => setDialogName(undefined)} />
      )}
      {dialogName === 'edit' && asset && (
        <EditDialog
          asset={asset}
          onClose={(isDone) => {
            setDialogName(undefined);
            if (isDone) onEdited();
          }}
        />
      )}
    </>
  );

  if (!isMine || !asset || isGuest()) {
    return { tools: may.download ? [save] : [], shortcuts: {}, dialog };
  }
  if (asset.isTrashed) {
    const tools: Tool[] = [
      { icon: ArchiveRestore, label: t('Restore'), run: () => leaveAfter(restore(ids)) },
      { icon: Trash2, label: t('Delete for good'), run: () => setDialogName('delete') },
    ];
    return { tools, shortcuts: {}, dialog };
  }
  const tools: Tool[] = [
    {
      icon: Heart,
      label: isFavorite ? t('Remove from favourites') : t('Add to favourites'),
      isOn: isFavorite,
      run: favorite,
    },
    getVisibilityTool(asset, ids, leaveAfter),
    { icon: Trash2, label: t('Move to the trash'), run: trash },
    ...(isEditable(asset)
      ? [{ icon: Crop, label: t('Edit'), run: () => setDialogName('edit') } satisfies Tool]
      : []),
    ...(asset.type === 'IMAGE' && asset.width
      ? [{ icon: ScanFace, label: t('Faces'), run: () => setDialogName('faces') } satisfies Tool]
      : []),
    save,
  ];
  return { tools, shortcuts: { f: favorite, delete: trash }, dialog };
}

/** Moving pictures, panoramas and drawings stay as they are. */
const isEditable = ({
  type,
  livePhotoVideoId,
  originalFileName,
  exifInfo,
  width,
}: Asset): boolean =>
  type === 'IMAGE' &&
  !livePhotoVideoId &&
  Boolean(width) &&
  exifInfo?.projectionType !== 'EQUIRECTANGULAR' &&
  !/\.(gif|svg)$/i.test(originalFileName);

function getVisibilityTool(
  { visibility }: Asset,
  ids: ReadonlySet<string>,
  leaveAfter: (work: Promise<boolean>) => void,
): Tool {
  if (visibility === 'locked') {
    return {
      icon: LockKeyholeOpen,
      label: t('Move out of Locked'),
      run: () => leaveAfter(unlockAssets(ids)),
    };
  }
  return visibility === 'archive'
    ? {
        icon: ArchiveRestore,
        label: t('Move back to the timeline'),
        run: () => leaveAfter(unarchive(ids)),
      }
    : { icon: Archive, label: t('Archive'), run: () => leaveAfter(archiveAssets(ids)) };
}

function useFavorite(timeline: Timeline, id: string): boolean | undefined {
  return useStore(timeline.state, ({ months }) => {
    for (const { columns } of months) {
      const item = columns?.id.indexOf(id) ?? -1;
      if (item >= 0) return columns?.isFavorite[item];
    }
    return undefined;
  });
}
