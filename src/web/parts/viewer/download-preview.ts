import { t } from '../../base/i18n.ts';
import { revokeLater } from '../../base/object-url.ts';
import { getPictureUrl } from '../../base/pictures.ts';
import { saveFile } from '../../data/assets/asset-actions.ts';
import { attempt } from '../../ui/toast.tsx';
import type { Asset } from '../../data/types.ts';

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/png': 'png',
};

/**
 * Downloads what the server made to be shown: smaller than the original, and of a format that every
 * program opens. It has the name of the original; by its address it would have that of its id.
 */
export const downloadPreview = ({ id, thumbhash, originalFileName }: Asset): Promise<boolean> =>
  attempt(async () => {
    const response = await fetch(getPictureUrl(id, 'preview', thumbhash));
    if (!response.ok) throw new Error(t('The download could not be prepared.'));
    const picture = await response.blob();
    const url = URL.createObjectURL(picture);
    const name = originalFileName.replace(/\.[^.]*$/, '');
    saveFile(url, `${name}.${EXTENSIONS[picture.type] ?? 'jpg'}`);
    revokeLater(url);
  });
