import { lazyComponent } from '../../ui/lazy.tsx';
import { useStore } from '../../base/store.ts';
import { interrupted } from '../../data/uploads/interrupted-uploads.ts';
import { uploads } from '../../data/uploads/items.ts';

const Panel = lazyComponent(() => import('./panel.tsx').then((module) => module.UploadPanel));

export function UploadPanel() {
  const hasUploads = useStore(uploads, ({ items }) => items.length > 0);
  const hasInterrupted = useStore(interrupted, (list) => list.length > 0);
  return hasUploads || hasInterrupted ? <Panel /> : null;
}
