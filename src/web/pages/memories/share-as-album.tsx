import { useState } from 'react';
import { createAlbum } from '../../data/albums/album-data.ts';
import { useAlbum } from '../../data/albums/queries.ts';
import { ShareDialog } from '../../parts/albums/share-dialog.tsx';
import type { Memory } from '../../data/types.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Form, useForm } from '../../ui/form.tsx';
import { t } from '../../base/i18n.ts';

type Props = { memory: Memory; onClose: () => void };

/** Makes an album of a memory, and then shares it with people or by a link. */
export function ShareAsAlbum({ memory, onClose }: Props) {
  const [albumId, setAlbumId] = useState<string>();
  const ids = memory.assets.map(({ id }) => id);
  const form = useForm(async (values) =>
    setAlbumId((await createAlbum(values['name']?.trim() ?? '', ids)).id),
  );
  if (albumId !== undefined) return <ShareAlbum id={albumId} onClose={onClose} />;
  return (
    <Dialog title={t('Share as album')} onClose={onClose}>
      <Form state={form} action={t('Create album')}>
        <Field
          label={t('Title')}
          name="name"
          autoFocus
          required
          maxLength={255}
          defaultValue={memory.name ?? ''}
          error={form.fields['albumName']}
        />
      </Form>
    </Dialog>
  );
}

function ShareAlbum({ id, onClose }: { id: string; onClose: () => void }) {
  const { data } = useAlbum(id);
  return data && <ShareDialog album={data} onClose={onClose} />;
}
