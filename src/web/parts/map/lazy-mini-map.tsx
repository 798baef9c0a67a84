import { lazyComponent } from '../../ui/lazy.tsx';
import styles from './map.module.css';

export const LazyMiniMap = lazyComponent(
  () => import('./mini-map.tsx').then(({ MiniMap }) => MiniMap),
  <span className={styles.miniMap} />,
);
