import { lazyComponent } from '../../ui/lazy.tsx';
import { ViewerFrame } from './viewer-frame.tsx';

export const Viewer = lazyComponent(
  () => import('./viewer.tsx').then((module) => module.Viewer),
  ({ id, onClose }) => <ViewerFrame id={id} onClose={() => onClose(id)} />,
);
