import { useQuery } from '@tanstack/react-query';
import { FolderPlus, FolderSync } from 'lucide-react';
import { useState } from 'react';
import { attempt } from '../../ui/toast.tsx';
import type { Library, Me } from '../../data/types.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { Empty, Page } from '../../ui/elements.tsx';
import { LibraryCard } from './library-card.tsx';
import { LibraryDialog } from './library-dialog.tsx';
import { deleteLibrary, librariesQuery } from '../../data/admin/library-queries.ts';
import { usersQuery } from '../../data/admin/queries.ts';
import { useIsScanning } from '../../parts/admin/use-is-scanning.ts';
import styles from '../../parts/admin/libraries.module.css';
import { t } from '../../base/i18n.ts';

type Open = { kind: 'new' } | { kind: 'edit' | 'delete'; library: Library } | undefined;

/** Folders whose files are shown where they are, for administrators. */
export function LibrariesPage({ me }: { me: Me }) {
  const isScanning = useIsScanning();
  const { data: libraries, error } = useQuery(librariesQuery(isScanning));
  const { data: users } = useQuery(usersQuery());
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const accounts = users?.filter(({ deletedAt }) => !deletedAt) ?? [me];
  const button = (
    <button className="button" onClick={() => setOpen({ kind: 'new' })}>
      <FolderPlus size={18} aria-hidden /> {t('New library')}
    </button>
  );
  return (
    <Page title={t('External libraries')} actions={button}>
      {error && <p role="alert">{error.message}</p>}
      {libraries?.length === 0 && (
        <Empty
          icon={FolderSync}
          title={t('No external libraries yet')}
          text={t(
            'Safelight can show the photos of your folders where they are. It never changes them.',
          )}
        />
      )}
      <ul className={styles.libraries}>
        {libraries?.map((library) => (
          <li key={library.id}>
            <LibraryCard
              library={library}
              owner={users?.find(({ id }) => id === library.ownerId)?.name ?? ''}
              isScanning={isScanning}
              onEdit={() => setOpen({ kind: 'edit', library })}
              onDelete={() => setOpen({ kind: 'delete', library })}
            />
          </li>
        ))}
      </ul>
      {open?.kind === 'new' && <LibraryDialog me={me} accounts={accounts} onClose={close} />}
      {open?.kind === 'edit' && (
        <LibraryDialog me={me} accounts={accounts} library={open.library} onClose={close} />
      )}
      {open?.kind === 'delete' && (
        <Confirm
          title={t('Delete the library “{name}”?', { name: open.library.name })}
          text={t(
            'Its photos and videos are removed from Safelight, with all that was added to them here. The files stay where they are.',
          )}
          action={t('Delete library')}
          onClose={close}
          onConfirm={() => void attempt(() => deleteLibrary(open.library.id), t('Library deleted'))}
        />
      )}
    </Page>
  );
}
