import { lazyComponent } from '../lazy.tsx';

export const LazyMiniMap = lazyComponent(
  () => import('./mini-map.tsx').then(({ MiniMap }) => MiniMap),
  <span className="mini-map" />,
);
