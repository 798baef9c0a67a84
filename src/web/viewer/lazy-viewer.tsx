import { lazyComponent } from '../lazy.tsx';

export const Viewer = lazyComponent(() => import('./viewer.tsx').then((module) => module.Viewer));
