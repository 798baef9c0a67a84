import {
  Archive,
  ArchiveRestore,
  CalendarClock,
  ClipboardPaste,
  Columns2,
  Download,
  FolderMinus,
  FolderPlus,
  Heart,
  History,
  ImagePlus,
  Layers,
  Link2,
  LockKeyhole,
  LockKeyholeOpen,
  type LucideIcon,
  Tag,
  Trash2,
} from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { removeFromAlbum } from '../../data/albums/album-data.ts';
import { archiveAssets } from '../../data/archive/operations.ts';
import { copiedEdits } from '../edits/copied.ts';
import { lazyComponent } from '../../ui/lazy.tsx';
import { lock, unlockAssets } from '../../data/locked/lock-actions.ts';
import { queryClient } from '../../base/query-client.ts';
import { useMyId } from '../../data/session/session.ts';
import { stackAssets } from '../../data/stacks/stack-data.ts';
import { useStore } from '../../base/store.ts';
import { tagsQuery } from '../../data/tags/queries.ts';
import { untagAssets } from '../../data/tags/tag-data.ts';
import { moveToTrash, restore } from '../../data/trash/trash-actions.ts';
import { listActionNames, type Name, type Rights } from '../grid/action-names.ts';
import { download, setFavorite, unarchive } from '../../data/assets/asset-actions.ts';
import type { Plan } from '../../data/timeline/sections.ts';
import type { Timeline } from '../../data/timeline/timeline-data.ts';
import { t } from '../../base/i18n.ts';

const AlbumPicker = lazyComponent(() =>
  import('../albums/picker.tsx').then((module) => module.AlbumPicker),
);
const CompareDialog = lazyComponent(() =>
  import('../viewer/compare/compare-dialog.tsx').then((module) => module.CompareDialog),
);
const LinkDialog = lazyComponent(() =>
  import('../links/link-dialog.tsx').then((module) => module.LinkDialog),
);
const MemoryPicker = lazyComponent(() =>
  import('../memories/picker.tsx').then((module) => module.MemoryPicker),
);
const MetadataDialog = lazyComponent(() =>
  import('../metadata-edits/dialog.tsx').then((module) => module.MetadataDialog),
);
const ReviewDialog = lazyComponent(() =>
  import('../trash/review-dialog.tsx').then((module) => module.ReviewDialog),
);
const TagPicker = lazyComponent(() =>
  import('../tags/picker.tsx').then((module) => module.TagPicker),
);

const importPaste = () => import('../edits/clipboard.ts').then((module) => module.pasteEdits);
const importSave = () => import('../sharing/save-copies.ts').then((module) => module.saveToLibrary);

type Action = {
  name: Name;
  icon: LucideIcon;
  label: string;
  /** Instead of the label, where there is room for words. */
  word?: string;
  run: () => void;
  isOn?: boolean;
  /** The key that does the same, as in the viewer. */
  keys?: string;
};

type Options = {
  ids: ReadonlySet<string>;
  plan: Plan;
  timeline: Timeline;
  may: Rights;
  onDone: () => void;
};

type DialogName = 'album' | 'compare' | 'memory' | 'tag' | 'link' | 'metadata' | 'delete';

/** The actions for the selected photos of a timeline, and the dialog of the one in use. */
export function useSelectionActions({ ids, plan, timeline, may, onDone }: Options): {
  actions: Action[];
  dialog: ReactNode;
  /** The ids of the selected photos that belong to the account. */
  own: ReadonlySet<string>;
} {
  const me = useMyId();
  const hasCopiedEdits = useStore(copiedEdits, (copied) => copied !== undefined);
  const [dialogName, setDialogName] = useState<DialogName>();
  const own = findOwned(ids, plan, me);
  const close = (isDone: boolean) => {
    setDialogName(undefined);
    if (isDone) onDone();
  };
  const then = (work: Promise<boolean>) => void work.then((isDone) => isDone && onDone());
  const isFavorite = own.ids.size > 0 && own.areFavorite;
  const runs: Record<Name, () => void> = {
    favorite: () => then(setFavorite(timeline, own.ids, !isFavorite)),
    album: () => setDialogName('album'),
    takeOut: () => then(removeFromAlbum(timeline.filter.albumId ?? '', [...ids])),
    tag: () => setDialogName('tag'),
    untag: () => {
      const tag = findTag(timeline.filter.tagId);
      if (tag) then(untagAssets(tag, [...own.ids]));
    },
    metadata: () => setDialogName('metadata'),
    pasteEdits: () => then(importPaste().then((pasteEdits) => pasteEdits([...own.ids]))),
    stack: () => then(stackAssets(sortByPlan(own.ids, plan))),
    archive: () => then(archiveAssets(own.ids)),
    unarchive: () => then(unarchive(own.ids)),
    lock: () => then(lock(own.ids)),
    unlock: () => then(unlockAssets(own.ids)),
    link: () => setDialogName('link'),
    compare: () => setDialogName('compare'),
    memory: () => setDialogName('memory'),
    save: () => then(importSave().then((saveToLibrary) => saveToLibrary(findOthers(ids, own.ids)))),
    download: () => void download([...ids]),
    trash: () => then(moveToTrash(own.ids)),
    restore: () => then(restore(own.ids)),
    delete: () => setDialogName('delete'),
  };
  const names = listActionNames({
    filter: timeline.filter,
    own: own.ids.size,
    all: ids.size,
    may,
    hasCopiedEdits,
  });
  const appearances = listAppearances(isFavorite);
  const actions = names.map((name) => ({ name, ...appearances[name], run: runs[name] }));
  return {
    actions,
    own: own.ids,
    dialog: dialogName && <OpenDialog name={dialogName} ids={ids} own={own.ids} onClose={close} />,
  };
}

/** How each action looks. `isFavorite`: whether all selected photos are favorites. */
const listAppearances = (isFavorite: boolean): Record<Name, Omit<Action, 'name' | 'run'>> => ({
  favorite: {
    icon: Heart,
    label: isFavorite ? t('Remove from favorites') : t('Add to favorites'),
    word: t('Favorite'),
    isOn: isFavorite,
    keys: 'f',
  },
  album: { icon: FolderPlus, label: t('Add to album'), keys: 'l' },
  takeOut: { icon: FolderMinus, label: t('Remove from this album') },
  tag: { icon: Tag, label: t('Tag'), keys: 't' },
  untag: { icon: Tag, label: t('Remove this tag') },
  metadata: { icon: CalendarClock, label: t('Edit date and place') },
  pasteEdits: { icon: ClipboardPaste, label: t('Paste edits') },
  stack: { icon: Layers, label: t('Stack') },
  archive: { icon: Archive, label: t('Move to the archive'), word: t('Archive') },
  unarchive: { icon: ArchiveRestore, label: t('Move back to the timeline') },
  lock: { icon: LockKeyhole, label: t('Lock') },
  unlock: { icon: LockKeyholeOpen, label: t('Move out of Locked') },
  link: { icon: Link2, label: t('Share by link'), word: t('Share'), keys: 's' },
  compare: { icon: Columns2, label: t('Compare') },
  memory: { icon: History, label: t('Add to memory') },
  save: { icon: ImagePlus, label: t('Save to my library') },
  download: { icon: Download, label: t('Download') },
  trash: { icon: Trash2, label: t('Move to the trash'), word: t('Trash'), keys: 'Delete' },
  restore: { icon: ArchiveRestore, label: t('Restore') },
  delete: { icon: Trash2, label: t('Delete for good'), word: t('Delete'), keys: 'Delete' },
});

const findTag = (tagId: string | undefined) =>
  queryClient.getQueryData(tagsQuery().queryKey)?.list.find(({ id }) => id === tagId);

/** Photos of partners, and of others in an album, cannot be changed. */
function findOwned(ids: ReadonlySet<string>, plan: Plan, me: string) {
  const own = new Set<string>();
  let areFavorite = true;
  let seen = 0;
  for (const { month } of ids.size > 0 ? plan.sections : []) {
    for (const [item, id] of month.columns?.id.entries() ?? []) {
      if (!ids.has(id)) continue;
      seen++;
      if (month.columns?.ownerId[item] !== me) continue;
      own.add(id);
      areFavorite &&= month.columns.isFavorite[item] === true;
    }
    if (seen === ids.size) break;
  }
  return { ids: own, areFavorite };
}

const findOthers = (ids: ReadonlySet<string>, own: ReadonlySet<string>): string[] =>
  [...ids].filter((id) => !own.has(id));

/** Newest first, as they are seen: the first one stands for a stack. */
const sortByPlan = (ids: ReadonlySet<string>, plan: Plan): string[] =>
  plan.sections.flatMap(({ month }) => month.columns?.id.filter((id) => ids.has(id)) ?? []);

type OpenDialogProps = {
  name: DialogName;
  ids: ReadonlySet<string>;
  own: ReadonlySet<string>;
  onClose: (isDone: boolean) => void;
};

function OpenDialog({ name, ids, own, onClose }: OpenDialogProps) {
  // As they were when the dialog was opened: a refresh below must not change what is agreed to.
  const [[all, mine]] = useState([[...ids], [...own]] as const);
  switch (name) {
    case 'album':
      return <AlbumPicker ids={all} onClose={onClose} />;
    case 'compare': {
      const [first, second] = all;
      return first && second && <CompareDialog ids={[first, second]} onClose={onClose} />;
    }
    case 'memory':
      return <MemoryPicker ids={mine} onClose={onClose} />;
    case 'tag':
      return <TagPicker ids={mine} onClose={onClose} />;
    case 'link':
      return <LinkDialog of={{ target: { assetIds: mine } }} onClose={onClose} />;
    case 'metadata':
      return <MetadataDialog ids={mine} leftOut={all.length - mine.length} onClose={onClose} />;
    case 'delete':
      return <ReviewDialog what={{ action: 'delete', assetIds: mine }} onClose={onClose} />;
  }
}
