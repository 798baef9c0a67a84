import { getPictureUrl } from '../../base/pictures.ts';
import { type Cluster, getMarkerPosition } from '../../data/map/map-data.ts';
import { type Size, toScreen, type View } from '../../data/map/projection.ts';
import styles from '../../parts/map/map.module.css';
import { t } from '../../base/i18n.ts';

type Props = {
  clusters: readonly Cluster[];
  view: View;
  size: Size;
  /** The cell that is open beside the map. */
  openCell: string | undefined;
  onOpen: (cluster: Cluster) => void;
};

const EDGE = 40;

/** One picture for all that were taken near each other, and how many there are. */
export function Markers({ clusters, view, size, openCell, onOpen }: Props) {
  return (
    <ul className={styles.mapMarkers}>
      {clusters.map((cluster) => {
        const { left, top } = toScreen(getMarkerPosition(cluster, view), view, size);
        const isSeen =
          left > -EDGE && top > -EDGE && left < size.width + EDGE && top < size.height + EDGE;
        if (!isSeen) return null;
        return (
          <li key={cluster.cell} style={{ transform: `translate(${left}px, ${top}px)` }}>
            <button
              data-part="map-marker"
              className={
                cluster.cell === openCell ? `${styles.mapMarker} ${styles.open}` : styles.mapMarker
              }
              aria-label={t('{count, plural, one {# photo} other {# photos}} here', {
                count: cluster.count,
              })}
              aria-expanded={cluster.cell === openCell}
              onClick={() => onOpen(cluster)}
            >
              {cluster.id && (
                <img
                  src={getPictureUrl(cluster.id, 'thumbnail', cluster.thumbhash)}
                  alt=""
                  draggable={false}
                  decoding="async"
                />
              )}
              {cluster.count > 1 && <span className={styles.mapCount}>{short(cluster.count)}</span>}
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** 1234 as '1.2k'. */
function short(count: number): string {
  if (count < 1000) return String(count);
  const [value, unit] = count < 1_000_000 ? [count / 1000, 'k'] : [count / 1_000_000, 'M'];
  return `${value < 10 ? value.toFixed(1).replace('.0', '') : Math.round(value)}${unit}`;
}
