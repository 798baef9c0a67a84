import { Download, Trash2 } from 'lucide-react';
import { t } from '../../base/i18n.ts';
import { download } from '../../data/assets/asset-actions.ts';
import { moveToTrash } from '../../data/trash/trash-actions.ts';
import { IconButton } from '../../ui/elements.tsx';

/** The last two buttons in a row of a list of files. */
export const FileButtons = ({ id, name }: { id: string; name: string }) => (
  <>
    <IconButton
      icon={Download}
      label={t('Download {name}', { name })}
      onClick={() => void download([id])}
    />
    <IconButton
      icon={Trash2}
      label={t('Move {name} to the trash', { name })}
      onClick={() => void moveToTrash(new Set([id]))}
    />
  </>
);
