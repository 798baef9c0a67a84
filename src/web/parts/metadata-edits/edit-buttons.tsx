import { CalendarClock, Copy } from 'lucide-react';
import { useState } from 'react';
import { lazyComponent } from '../../ui/lazy.tsx';
import type { Asset } from '../../data/types.ts';
import { copyDateAndPlace } from '../../data/metadata-edits/edit-data.ts';
import { t } from '../../base/i18n.ts';

const MetadataDialog = lazyComponent(() =>
  import('./dialog.tsx').then((module) => module.MetadataDialog),
);

/** For the information about a photo of the account. */
export function EditButtons({ asset }: { asset: Asset }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="card-actions">
      <button className="button" onClick={() => setOpen(true)}>
        <CalendarClock size={16} aria-hidden /> {t('Edit date and place')}
      </button>
      <button className="button" onClick={() => copyDateAndPlace(asset)}>
        <Copy size={16} aria-hidden /> {t('Copy date and place')}
      </button>
      {isOpen && <MetadataDialog ids={[asset.id]} onClose={() => setOpen(false)} />}
    </div>
  );
}
