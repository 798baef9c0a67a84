import {
  Archive,
  ArchiveRestore,
  BookImage,
  CalendarSearch,
  ClipboardPaste,
  Copy,
  Crop,
  Download,
  FolderPlus,
  Heart,
  ImageDown,
  ImagePlus,
  Link2,
  LockKeyhole,
  LockKeyholeOpen,
  RotateCcw,
  RotateCw,
  ScanFace,
  Tag,
  Trash2,
} from 'lucide-react';
import { isGuest } from '../../base/api.ts';
import { archiveAssets } from '../../data/archive/operations.ts';
import { copyEdits, pasteEdits } from '../edits/clipboard.ts';
import { isEditable, rotatePhoto } from '../edits/rotate.ts';
import { t } from '../../base/i18n.ts';
import { lock, unlockAssets } from '../../data/locked/lock-actions.ts';
import { saveToLibrary } from '../sharing/save-copies.ts';
import { download, setFavorite, unarchive } from '../../data/assets/asset-actions.ts';
import { toRevealPath } from '../grid/reveal.ts';
import type { Rights } from '../grid/action-names.ts';
import type { Timeline } from '../../data/timeline/timeline-data.ts';
import { moveToTrash, restore } from '../../data/trash/trash-actions.ts';
import type { Asset } from '../../data/types.ts';
import { downloadPreview } from './download-preview.ts';
import type { Tool } from './tool.ts';
import type { DialogName } from './viewer-dialogs.tsx';

type Context = {
  id: string;
  asset: Asset | undefined;
  isMine: boolean;
  timeline: Timeline;
  may: Rights;
  isFavorite: boolean;
  /** The path of the page. */
  path: string;
  navigate: (path: string) => void;
  /** Shows the next photo once the work is done: this one has left the timeline. */
  leaveAfter: (work: Promise<boolean>) => void;
  open: (name: DialogName) => void;
  onEdited: () => Promise<void>;
  hasCopiedEdits: boolean;
};
type WithAsset = Context & { asset: Asset };

/** Returns the actions that the visitor may take with a photo, in the order of the bar and the menu. */
export function createTools(context: Context): readonly Tool[] {
  const { asset, isMine, may } = context;
  if (isGuest() || !asset) return may.download ? [downloadOriginal(context)] : [];
  const withAsset = { ...context, asset };
  if (asset.isTrashed) return isMine ? createTrashTools(withAsset) : [];
  const isLocked = asset.visibility === 'locked';
  return [
    ...some(isMine && !isLocked, share(context)),
    ...some(isMine, favorite(context)),
    ...some(isMine && isEditable(asset), edit(context)),
    ...some(isMine, trash(context)),
    ...some(!isLocked, addToAlbum(context)),
    ...(isMine ? createOwnTools(withAsset) : []),
    ...(may.download
      ? [downloadOriginal(context), ...some(asset.type === 'IMAGE', downloadSmaller(withAsset))]
      : []),
    ...some(!isMine, saveCopy(context)),
    ...createPlaceTools(withAsset),
  ];
}

const some = (condition: boolean, tool: Tool): Tool[] => (condition ? [tool] : []);

const favorite = ({ id, timeline, isFavorite }: Context): Tool => ({
  icon: Heart,
  label: isFavorite ? t('Remove from favorites') : t('Add to favorites'),
  word: t('Favorite'),
  isOn: isFavorite,
  keys: 'f',
  place: 'thumb',
  run: () => void setFavorite(timeline, new Set([id]), !isFavorite),
});

const addToAlbum = ({ open }: Context): Tool => ({
  icon: FolderPlus,
  label: t('Add to album'),
  word: t('Add to album'),
  keys: 'l',
  place: 'wide',
  run: () => open('album'),
});

const share = ({ open }: Context): Tool => ({
  icon: Link2,
  label: t('Share by link'),
  word: t('Share'),
  keys: 's',
  place: 'thumb',
  run: () => open('link'),
});

const edit = ({ open }: Context): Tool => ({
  icon: Crop,
  label: t('Edit'),
  word: t('Edit'),
  keys: 'e',
  place: 'thumb',
  run: () => open('edit'),
});

const trash = ({ id, leaveAfter }: Context): Tool => ({
  icon: Trash2,
  label: t('Move to the trash'),
  word: t('Trash'),
  keys: 'Delete',
  place: 'thumb',
  run: () => leaveAfter(moveToTrash(new Set([id]))),
});

const downloadOriginal = ({ id }: Context): Tool => ({
  icon: Download,
  label: t('Download'),
  word: t('Download'),
  keys: 'Shift+D',
  place: isGuest() ? 'thumb' : 'wide',
  run: () => void download([id]),
});

const downloadSmaller = ({ asset }: WithAsset): Tool => ({
  icon: ImageDown,
  label: t('Download smaller version'),
  keys: 'Shift+P',
  place: 'menu',
  run: () => void downloadPreview(asset),
});

const saveCopy = ({ id }: Context): Tool => ({
  icon: ImagePlus,
  label: t('Save to my library'),
  place: 'menu',
  run: () => void saveToLibrary([id]),
});

function createTrashTools({ id, leaveAfter, open }: WithAsset): readonly Tool[] {
  return [
    {
      icon: ArchiveRestore,
      label: t('Restore'),
      word: t('Restore'),
      place: 'thumb',
      run: () => leaveAfter(restore(new Set([id]))),
    },
    {
      icon: Trash2,
      label: t('Delete for good'),
      word: t('Delete'),
      place: 'thumb',
      run: () => open('delete'),
    },
  ];
}

function createOwnTools(context: WithAsset): readonly Tool[] {
  const { id, asset, leaveAfter, open } = context;
  const isLocked = asset.visibility === 'locked';
  const faces: Tool = {
    icon: ScanFace,
    label: t('Faces'),
    place: 'menu',
    run: () => open('faces'),
  };
  const toLocked: Tool = {
    icon: LockKeyhole,
    label: t('Lock'),
    keys: 'Shift+L',
    place: 'menu',
    run: () => leaveAfter(lock(new Set([id]))),
  };
  return [
    getVisibilityTool(context),
    ...(isEditable(asset) ? createEditTools(context) : []),
    ...some(asset.type === 'IMAGE' && Boolean(asset.width), faces),
    { icon: Tag, label: t('Tag'), keys: 't', place: 'menu', run: () => open('tag') },
    ...some(!isLocked, toLocked),
  ];
}

function createEditTools({ id, asset, onEdited, hasCopiedEdits }: WithAsset): Tool[] {
  const turn = (by: 90 | -90) => rotatePhoto(asset, by, onEdited);
  return [
    { icon: RotateCw, label: t('Rotate right'), keys: 'r', place: 'menu', run: () => turn(90) },
    {
      icon: RotateCcw,
      label: t('Rotate left'),
      keys: 'Shift+R',
      place: 'menu',
      run: () => turn(-90),
    },
    {
      icon: Copy,
      label: t('Copy edits'),
      keys: 'Shift+C',
      place: 'menu',
      run: () => void copyEdits(id),
    },
    ...some(hasCopiedEdits, {
      icon: ClipboardPaste,
      label: t('Paste edits'),
      keys: 'Shift+V',
      place: 'menu',
      run: () => void pasteEdits([id], onEdited),
    }),
  ];
}

function getVisibilityTool({ id, asset: { visibility }, leaveAfter }: WithAsset): Tool {
  const ids = new Set([id]);
  if (visibility === 'locked') {
    return {
      icon: LockKeyholeOpen,
      label: t('Move out of Locked'),
      keys: 'Shift+L',
      place: 'wide',
      run: () => leaveAfter(unlockAssets(ids)),
    };
  }
  return visibility === 'archive'
    ? {
        icon: ArchiveRestore,
        label: t('Move back to the timeline'),
        keys: 'Shift+A',
        place: 'wide',
        run: () => leaveAfter(unarchive(ids)),
      }
    : {
        icon: Archive,
        label: t('Move to the archive'),
        keys: 'Shift+A',
        place: 'wide',
        run: () => leaveAfter(archiveAssets(ids)),
      };
}

/** Where else the photo is to be seen. */
function createPlaceTools({ id, asset, isMine, path, navigate, open }: WithAsset): readonly Tool[] {
  const isOnTimeline = isMine && asset.visibility === 'timeline' && !path.startsWith('/photos');
  const inTimeline: Tool = {
    icon: CalendarSearch,
    label: t('Show in timeline'),
    keys: 'Shift+T',
    place: 'menu',
    run: () => navigate(toRevealPath('/photos', id)),
  };
  const inAlbum: Tool = {
    icon: BookImage,
    label: t('Show in album'),
    keys: 'Shift+B',
    place: 'menu',
    run: () => open('albums'),
  };
  return [
    ...some(isOnTimeline, inTimeline),
    ...some(asset.visibility !== 'locked' && !path.startsWith('/albums/'), inAlbum),
  ];
}
