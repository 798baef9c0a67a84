import type { ReactNode } from 'react';
import { lazyComponent } from '../../ui/lazy.tsx';
import { FacesDialog } from '../people/faces-dialog.tsx';
import type { Asset } from '../../data/types.ts';
import { AlbumsDialog } from './albums-dialog.tsx';

const EditDialog = lazyComponent(() =>
  import('../edits/edit-dialog.tsx').then((module) => module.EditDialog),
);
const AlbumPicker = lazyComponent(() =>
  import('../albums/picker.tsx').then((module) => module.AlbumPicker),
);
const LinkDialog = lazyComponent(() =>
  import('../links/link-dialog.tsx').then((module) => module.LinkDialog),
);
const ReviewDialog = lazyComponent(() =>
  import('../trash/review-dialog.tsx').then((module) => module.ReviewDialog),
);
const TagPicker = lazyComponent(() =>
  import('../tags/picker.tsx').then((module) => module.TagPicker),
);

export type DialogName = 'album' | 'albums' | 'delete' | 'edit' | 'faces' | 'link' | 'tag';

type Props = {
  name: DialogName;
  asset: Asset;
  onClose: (isDone: boolean) => void;
  onEdited: () => Promise<void>;
};

/** The dialog of the tool that is in use. */
export function ViewerDialog({ name, asset, onClose, onEdited }: Props): ReactNode {
  const ids = [asset.id];
  switch (name) {
    case 'album':
      return <AlbumPicker ids={ids} onClose={onClose} />;
    case 'albums':
      return <AlbumsDialog assetId={asset.id} onClose={() => onClose(false)} />;
    case 'delete':
      return <ReviewDialog what={{ action: 'delete', assetIds: ids }} onClose={onClose} />;
    case 'edit':
      return <EditDialog asset={asset} onClose={() => onClose(false)} onEdited={onEdited} />;
    case 'faces':
      return <FacesDialog asset={asset} onClose={() => onClose(false)} />;
    case 'link':
      return <LinkDialog of={{ target: { assetIds: ids } }} onClose={onClose} />;
    case 'tag':
      return <TagPicker ids={ids} onClose={onClose} />;
  }
}
