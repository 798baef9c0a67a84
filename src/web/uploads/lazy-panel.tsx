import { lazyComponent } from '../lazy.tsx';
import { useStore } from '../store.ts';
import { interrupted } from './interrupted-uploads.ts';
import { uploads } from './items.ts';

const Panel = lazyComponent(() => import('./panel.tsx').then((module) => module.UploadPanel));

export function UploadPanel() {
  const hasUploads = useStore(uploads, ({ items }) => items.length > 0);
  const hasInterrupted = useStore(interrupted, (list) => list.length > 0);
  return hasUploads || hasInterrupted ? <Panel /> : null;
}
