import { lazy, Suspense } from 'react';
import type { Degrees } from './projection.ts';

// A script of its own: most visits never come to a map.
const Page = lazy(() => import('./map-page.tsx').then(({ MapPage }) => ({ default: MapPage })));
const Mini = lazy(() => import('./mini-map.tsx').then(({ MiniMap }) => ({ default: MiniMap })));

export const LazyMapPage = (props: { photoId: string | undefined }) => (
  <Suspense>
    <Page {...props} />
  </Suspense>
);
export const LazyMiniMap = (props: Degrees) => (
  <Suspense fallback={<span className="mini-map" />}>
    <Mini {...props} />
  </Suspense>
);
