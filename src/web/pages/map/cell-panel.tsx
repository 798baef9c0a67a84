import { ImageOff, X, ZoomIn } from 'lucide-react';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { ResultsView } from '../../parts/results/results-view.tsx';
import { useStore } from '../../base/store.ts';
import { Empty, IconButton } from '../../ui/elements.tsx';
import { createCellResults, type MapFilter } from '../../data/map/map-data.ts';
import styles from '../../parts/map/map.module.css';
import timelineStyles from '../../parts/grid/timeline.module.css';
import { t } from '../../base/i18n.ts';

type Props = {
  cell: string;
  /** Undefined where the map does not show the cell as one any more. */
  count: number | undefined;
  filter: MapFilter;
  photoId: string | undefined;
  toHref: (id: string | undefined) => string;
  onZoom: () => void;
  onClose: () => void;
};

/** The photos of one cluster, beside the map or below it. */
export function CellPanel({ cell, count, filter, photoId, toHref, onZoom, onClose }: Props) {
  const [, navigate] = useLocation();
  const key = JSON.stringify(filter);
  const results = useMemo(() => createCellResults(cell, JSON.parse(key) as MapFilter), [cell, key]);
  const loaded = useStore(results.state, ({ months }) =>
    months.reduce((sum, month) => sum + month.count, 0),
  );
  const shown = count ?? loaded;
  return (
    <aside data-part="map-panel" className={styles.mapPanel} aria-label={t('Photos of this place')}>
      <header className={styles.mapPanelHead}>
        <h2>
          {shown > 0
            ? t('{count, plural, one {# photo} other {# photos}}', { count: shown })
            : t('Photos')}
        </h2>
        <IconButton icon={ZoomIn} label={t('Look closer at this place')} onClick={onZoom} />
        <IconButton icon={X} label={t('Close the photos')} onClick={onClose} />
      </header>
      <div className={styles.mapPanelPhotos}>
        <ResultsView
          key={`${cell} ${key}`}
          results={results}
          daysBy="takenAt"
          title={t('Map')}
          head={null}
          note={
            <>
              {/* Above the days: the title of the results comes after the panel's own heading. */}
              <h2 className="hidden-title">{t('Photos')}</h2>
              <span data-part="month-count" className={timelineStyles.monthCount}>
                {t('Newest first')}
              </span>
            </>
          }
          photoId={photoId}
          toHref={toHref}
          navigate={navigate}
          empty={
            <Empty
              icon={ImageOff}
              title={t('No photos here')}
              text={t('They have been moved, or the map shows others now.')}
            />
          }
        />
      </div>
    </aside>
  );
}
