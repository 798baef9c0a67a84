import { useMemo, useRef } from 'react';
import { Link } from 'wouter';
import { BaseMap } from './base-map.tsx';
import { type Degrees, clampView, toWorld } from '../../data/map/projection.ts';
import { useSize } from './use-size.ts';
import styles from './map.module.css';
import { t } from '../../base/i18n.ts';

const ZOOM = 8.5;
const MINI_ZOOM = 13;

/** Where one photo was taken; leads to the map. */
export function MiniMap({ lat, lon }: Degrees) {
  const frame = useRef<HTMLAnchorElement>(null);
  const size = useSize(frame);
  const view = useMemo(
    () => clampView({ ...toWorld({ lat, lon }), zoom: ZOOM }, size),
    [lat, lon, size],
  );
  const at = `${lat.toFixed(6)},${lon.toFixed(6)}`;
  return (
    <Link
      ref={frame}
      href={`/map?at=${at},${MINI_ZOOM}&pin=${at}`}
      className={styles.miniMap}
      aria-label={t('Show on the map')}
    >
      {size.width > 0 && <BaseMap view={view} size={size} />}
      <span data-part="map-pin" className={styles.mapPin} />
    </Link>
  );
}
