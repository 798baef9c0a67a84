import { useQuery } from '@tanstack/react-query';
import {
  Bookmark,
  BookmarkMinus,
  CalendarMinus,
  Download,
  EyeOff,
  FolderPlus,
  ImageMinus,
  Images,
  Link2,
  Pencil,
  Shapes,
  Trash2,
  UserMinus,
  UserPlus,
} from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { formatMonthDay } from '../../base/format.ts';
import { lazyComponent } from '../../ui/lazy.tsx';
import { attempt, attemptUndoable } from '../../ui/toast.tsx';
import type { Asset, Memory } from '../../data/types.ts';
import { assetQuery } from '../../data/viewer/queries.ts';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { Field, Form, useForm } from '../../ui/form.tsx';
import { Menu, type MenuEntry } from '../../ui/menu.tsx';
import {
  changeMemory,
  deleteMemory,
  hideMemory,
  removePictures,
  showLess,
} from '../../data/memories/memory-data.ts';
import { KINDS } from './kinds.ts';
import { t } from '../../base/i18n.ts';

const AlbumPicker = lazyComponent(() =>
  import('../../parts/albums/picker.tsx').then((module) => module.AlbumPicker),
);
const ExportDialog = lazyComponent(() =>
  import('./export-dialog.tsx').then((module) => module.ExportDialog),
);
const LinkDialog = lazyComponent(() =>
  import('../../parts/links/link-dialog.tsx').then((module) => module.LinkDialog),
);
const PicturesDialog = lazyComponent(() =>
  import('./pictures-dialog.tsx').then((module) => module.PicturesDialog),
);
const ShareAsAlbum = lazyComponent(() =>
  import('./share-as-album.tsx').then((module) => module.ShareAsAlbum),
);

type Props = {
  memory: Memory;
  /** The picture that is shown. */
  asset: Asset;
  /** Something is open that the player has to wait for. */
  onBusy: (isBusy: boolean) => void;
  onLeave: () => void;
};

/** So many are offered by name. */
const MOST_PEOPLE = 3;

type DialogName = 'title' | 'pictures' | 'album' | 'share' | 'link' | 'export' | 'delete';

export function PlayerMenu({ memory, asset, onBusy, onLeave }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [dialogName, setDialogName] = useDialog(memory.id);
  const { data: details } = useQuery({ ...assetQuery(asset.id), enabled: isOpen });
  const people = (details?.people ?? []).filter(({ name }) => name !== '').slice(0, MOST_PEOPLE);
  const isBusy = isOpen || dialogName !== undefined;
  useEffect(() => onBusy(isBusy), [onBusy, isBusy]);
  const thenLeave = (work: Promise<boolean>) => void work.then((isDone) => isDone && onLeave());
  const { id, isSaved } = memory;
  const entries: MenuEntry[] = [
    {
      icon: isSaved ? BookmarkMinus : Bookmark,
      label: isSaved ? t('Remove from saved') : t('Save memory'),
      run: () =>
        void attemptUndoable(
          () => changeMemory(id, { isSaved: !isSaved }),
          isSaved ? t('No longer saved') : t('Memory saved'),
          () => changeMemory(id, { isSaved }),
        ),
    },
    { icon: Pencil, label: t('Edit title'), run: () => setDialogName('title') },
    { icon: Images, label: t('Edit pictures'), run: () => setDialogName('pictures') },
    { icon: FolderPlus, label: t('Add to album'), run: () => setDialogName('album') },
    { icon: UserPlus, label: t('Share as album'), run: () => setDialogName('share') },
    { icon: Link2, label: t('Share by link'), run: () => setDialogName('link') },
    { icon: Download, label: t('Export'), run: () => setDialogName('export') },
    {
      icon: ImageMinus,
      label: t('Remove this picture'),
      run: () =>
        void attempt(() => removePictures(id, [asset.id])).then(
          (isDone) => isDone && memory.assets.length === 1 && onLeave(),
        ),
    },
    { icon: EyeOff, label: t('Hide memory'), run: () => thenLeave(hideMemory(id)) },
    ...listRules(memory, people).map(({ run, ...entry }) => ({
      ...entry,
      run: () => thenLeave(run()),
    })),
  ];
  if (memory.type === 'custom') {
    entries.push({ icon: Trash2, label: t('Delete memory'), run: () => setDialogName('delete') });
  }
  return (
    <>
      <Menu label={t('More actions')} entries={entries} onToggle={setOpen} />
      <OpenDialog
        name={dialogName}
        memory={memory}
        onClose={() => setDialogName(undefined)}
        onLeave={onLeave}
      />
    </>
  );
}

/** The open dialog: at first the exports, if the address of the page asks for them. */
function useDialog(id: string) {
  const isLinked = new URLSearchParams(useSearch()).has('exports');
  const [, navigate] = useLocation();
  const [name, setName] = useState<DialogName | undefined>(isLinked ? 'export' : undefined);
  const change = (next: DialogName | undefined) => {
    setName(next);
    if (isLinked) navigate(`/memories/${id}`, { replace: true });
  };
  return [name, change] as const;
}

/** Subjects of this memory, and people of the shown picture, that memories can show less of. */
function listRules({ type, memoryAt }: Memory, people: readonly { id: string; name: string }[]) {
  const date = memoryAt.slice(5, 10);
  return [
    ...people.map(({ id, name }) => ({
      icon: UserMinus,
      label: t('Show less of {name}', { name }),
      run: () => showLess({ kind: 'person', personId: id }),
    })),
    {
      icon: CalendarMinus,
      label: t('Show less of {day}', { day: formatMonthDay(date) }),
      run: () => showLess({ kind: 'date', date }),
    },
    ...(type === 'custom'
      ? []
      : [
          {
            icon: Shapes,
            label: t('Show less of “{kind}”', { kind: KINDS[type] }),
            run: () => showLess({ kind: 'memory-type', memoryType: type }),
          },
        ]),
  ];
}

type OpenDialogProps = {
  name: DialogName | undefined;
  memory: Memory;
  onClose: () => void;
  onLeave: () => void;
};

function OpenDialog({ name, memory, onClose, onLeave }: OpenDialogProps): ReactNode {
  const ids = memory.assets.map(({ id }) => id);
  switch (name) {
    case 'title':
      return <TitleDialog memory={memory} onClose={onClose} />;
    case 'pictures':
      return <PicturesDialog memory={memory} onClose={onClose} />;
    case 'share':
      return <ShareAsAlbum memory={memory} onClose={onClose} />;
    case 'album':
      return <AlbumPicker ids={ids} onClose={onClose} />;
    case 'link':
      return <LinkDialog of={{ target: { assetIds: ids } }} onClose={onClose} />;
    case 'export':
      return <ExportDialog memory={memory} onClose={onClose} />;
    case 'delete':
      return (
        <Confirm
          title={t('Delete memory')}
          text={t('The photos stay in your library.')}
          action={t('Delete')}
          onConfirm={() =>
            void attempt(() => deleteMemory(memory.id)).then((isDone) => isDone && onLeave())
          }
          onClose={onClose}
        />
      );
    case undefined:
      return null;
  }
}

function TitleDialog({ memory, onClose }: { memory: Memory; onClose: () => void }) {
  const form = useForm(async (values) => {
    await changeMemory(memory.id, { name: values['name']?.trim() || null });
    onClose();
  });
  return (
    <Dialog title={t('Edit title')} onClose={onClose}>
      <Form state={form} action={t('Save')}>
        <Field
          label={t('Title')}
          name="name"
          autoFocus
          maxLength={255}
          defaultValue={memory.name ?? ''}
          hint={memory.type === 'custom' ? undefined : t('Leave empty for the original one.')}
          error={form.fields['name']}
        />
      </Form>
    </Dialog>
  );
}
