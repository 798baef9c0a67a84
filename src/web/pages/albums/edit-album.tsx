import type { Album } from '../../data/types.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Form, useForm } from '../../ui/form.tsx';
import { changeAlbum } from '../../data/albums/album-data.ts';
import { t } from '../../base/i18n.ts';

type Props = { album: Album; isOwner: boolean; onClose: () => void };

/** The name and the description of an album, and whether its members may comment. */
export function EditAlbum({ album, isOwner, onClose }: Props) {
  const form = useForm(async (values) => {
    await changeAlbum(album.id, {
      albumName: values['albumName'] ?? '',
      description: values['description'] ?? '',
      ...(isOwner && { isActivityEnabled: values['talk'] === 'on' }),
    });
    onClose();
  });
  return (
    <Dialog title={t('Edit album')} onClose={onClose}>
      <Form state={form} action={t('Save')}>
        <Field
          label={t('Name')}
          name="albumName"
          defaultValue={album.albumName}
          required
          autoFocus
        />
        <div className="field">
          <label htmlFor="album-description">{t('Description')}</label>
          <textarea
            id="album-description"
            name="description"
            rows={4}
            defaultValue={album.description}
          />
        </div>
        {isOwner && (
          <label className="check">
            <input type="checkbox" name="talk" defaultChecked={album.isActivityEnabled} />{' '}
            {t('Members may like and comment')}
          </label>
        )}
      </Form>
    </Dialog>
  );
}
