import { useQuery } from '@tanstack/react-query';
import { Maximize, Minus, Plus, SlidersHorizontal } from 'lucide-react';
import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { albumQuery } from '../../data/albums/queries.ts';
import { getMessage } from '../../base/api.ts';
import { queryClient } from '../../base/query-client.ts';
import { showError } from '../../ui/toast.tsx';
import { IconButton } from '../../ui/elements.tsx';
import { BaseMap } from '../../parts/map/base-map.tsx';
import { CellPanel } from './cell-panel.tsx';
import { FilterDialog } from './filter-dialog.tsx';
import {
  type Chosen,
  type Cluster,
  countChosen,
  toFilter,
  type MapFilter,
  readChosen,
  writeChosen,
} from '../../data/map/map-data.ts';
import { Markers } from './markers.tsx';
import {
  fitView,
  MAX_ZOOM,
  readView,
  scaleBar,
  clampView,
  type Size,
  toDegrees,
  toScreen,
  toWorld,
  type View,
  writeView,
} from '../../data/map/projection.ts';
import { clustersQuery } from '../../data/map/queries.ts';
import { useClusters } from './use-clusters.ts';
import { useGestures } from '../../parts/map/use-gestures.ts';
import { useSize } from '../../parts/map/use-size.ts';
import styles from '../../parts/map/map.module.css';
import { t } from '../../base/i18n.ts';

const WORLD = '-180,-90,180,90';
/** Fine enough to fit a view around what there is. */
const FIT_ZOOM = 4;
const ADDRESS_MS = 300;

/** Every photo with a place, on a map that needs no network. */
export function MapPage({ photoId }: { photoId: string | undefined }) {
  const search = useSearch();
  const [, navigate] = useLocation();
  const params = useMemo(() => new URLSearchParams(search), [search]);
  const chosen = useMemo(() => readChosen(params), [params]);
  const filter = useMemo(() => toFilter(chosen), [chosen]);
  const cell = params.get('in') ?? undefined;
  const pin = readPin(params.get('pin'));

  const frame = useRef<HTMLDivElement>(null);
  const size = useSize(frame);
  const [view, setView] = useView(params, size, filter);
  const { clusters, error, isReady } = useClusters(view, size, filter);
  const { fly, zoomBy, handlers } = useGestures({ frame, size, view, setView });
  const [isFiltering, setFiltering] = useState(false);

  const toPath = useToPath(search);
  useAddress(view, toPath, photoId);

  const open = ({ cell: into, count, id }: Cluster) => {
    const path = toPath((next) => next.set('in', into), count === 1 && id ? id : undefined);
    navigate(path, { replace: cell !== undefined });
  };
  const choose = (next: Chosen) =>
    navigate(
      toPath((to) => {
        writeChosen(to, next);
        to.delete('in');
      }),
      { replace: true },
    );
  const toHref = useCallback((id: string | undefined) => toPath(() => undefined, id), [toPath]);
  const count = countChosen(chosen);
  return (
    <div className={cell ? `${styles.mapPage} ${styles.withPanel}` : styles.mapPage}>
      {/* The photos beside it bring their own. */}
      {!cell && <h1 className="hidden-title">{t('Map')}</h1>}
      <div
        ref={frame}
        data-part="map-frame"
        className={styles.mapFrame}
        role="region"
        aria-label={t('Map: arrow keys move it, plus and minus zoom')}
        tabIndex={0}
        {...handlers}
      >
        {view && size.width > 0 && (
          <>
            <BaseMap view={view} size={size} />
            {pin && <Pin at={pin} view={view} size={size} />}
            <Markers clusters={clusters} view={view} size={size} openCell={cell} onOpen={open} />
            <ScaleBar view={view} />
          </>
        )}
      </div>
      <ZoomTools
        onZoom={zoomBy}
        onShowAll={() => void loadFittingView(filter, size).then(fly, showError)}
      />
      <button className={`button ${styles.mapFilterButton}`} onClick={() => setFiltering(true)}>
        <SlidersHorizontal size={16} aria-hidden />{' '}
        {count > 0 ? t('Filter ({count})', { count }) : t('Filter')}
      </button>
      {chosen.album && !cell && <AlbumLink id={chosen.album} />}
      <p className={styles.mapNote} role="status">
        {error ?? (isReady && clusters.length === 0 ? t('No photos were taken here') : '')}
      </p>
      {cell && (
        <CellPanel
          cell={cell}
          count={clusters.find((cluster) => cluster.cell === cell)?.count}
          filter={filter}
          photoId={photoId}
          toHref={toHref}
          onZoom={() => void loadCellView(cell, filter, size).then(fly, showError)}
          onClose={() =>
            navigate(
              toPath((next) => next.delete('in')),
              { replace: true },
            )
          }
        />
      )}
      {isFiltering && (
        <FilterDialog chosen={chosen} onChange={choose} onClose={() => setFiltering(false)} />
      )}
    </div>
  );
}

async function loadFittingView(filter: MapFilter, size: Size): Promise<View> {
  const { clusters } = await queryClient.fetchQuery(clustersQuery(WORLD, FIT_ZOOM, filter));
  return fitView(clusters, size);
}

/** Around the photos of the cell: there they are in several. */
async function loadCellView(cell: string, filter: MapFilter, size: Size): Promise<View> {
  const [level = 0, x = 0, y = 0] = cell.split('/').map(Number);
  const cells = 2 ** level;
  const [corner, other] = [
    toDegrees({ x: x / cells, y: y / cells }),
    toDegrees({ x: (x + 1) / cells, y: (y + 1) / cells }),
  ];
  const bbox = [corner.lon, other.lat, other.lon, corner.lat].join(',');
  const zoom = Math.min(MAX_ZOOM - 1, level + 3);
  const { clusters } = await queryClient.fetchQuery(clustersQuery(bbox, zoom, filter));
  const inside = clusters.filter((cluster) => isInside(cluster.cell, level, x, y));
  return fitView(inside, size, Math.max(12, level + 3));
}

function isInside(cell: string, level: number, x: number, y: number): boolean {
  const [deeper = 0, column = 0, row = 0] = cell.split('/').map(Number);
  const parts = 2 ** (deeper - level);
  return Math.floor(column / parts) === x && Math.floor(row / parts) === y;
}

/** The view of the address, or of all photos if it names none; always one that the size allows. */
function useView(params: URLSearchParams, size: Size, filter: MapFilter) {
  const [wanted, setView] = useState(() => readView(params.get('at')));
  const hasView = wanted !== undefined;
  useEffect(() => {
    if (hasView || size.width === 0) return;
    let isGone = false;
    const show = (view: View) => {
      if (!isGone) setView((old) => old ?? view);
    };
    loadFittingView(filter, size).then(show, (problem: unknown) => {
      show(fitView([], size));
      if (!isGone) showError(getMessage(problem));
    });
    return () => {
      isGone = true;
    };
  }, [hasView, size, filter]);
  const view = useMemo(
    () => (wanted && size.width > 0 ? clampView(wanted, size) : undefined),
    [wanted, size],
  );
  return [view, setView] as const;
}

type ToPath = (change: (next: URLSearchParams) => void, id?: string) => string;

/** Returns the address with a change to its query, and of a photo on it. */
const useToPath = (search: string): ToPath =>
  useCallback(
    (change, id) => {
      const next = new URLSearchParams(search);
      change(next);
      return `/map${id ? `/photos/${id}` : ''}?${next}`;
    },
    [search],
  );

/** Keeps the address at the view that has come to rest, so that one can come back to it. */
function useAddress(view: View | undefined, toPath: ToPath, photoId: string | undefined): void {
  const [, navigate] = useLocation();
  const at = view && writeView(view);
  const update = useEffectEvent((value: string) =>
    navigate(
      toPath((next) => next.set('at', value), photoId),
      { replace: true },
    ),
  );
  useEffect(() => {
    if (!at) return;
    const timer = setTimeout(() => update(at), ADDRESS_MS);
    return () => clearTimeout(timer);
  }, [at]);
}

type ZoomProps = { onZoom: (by: number) => void; onShowAll: () => void };

const ZoomTools = ({ onZoom, onShowAll }: ZoomProps) => (
  <div className={styles.mapTools}>
    <IconButton icon={Plus} label={t('Zoom in')} onClick={() => onZoom(1)} />
    <IconButton icon={Minus} label={t('Zoom out')} onClick={() => onZoom(-1)} />
    <IconButton icon={Maximize} label={t('Show all photos')} onClick={onShowAll} />
  </div>
);

/** The way back to the album whose photos the map shows. */
function AlbumLink({ id }: { id: string }) {
  const { data: album } = useQuery(albumQuery(id));
  if (!album) return null;
  const name = album.albumName || t('Untitled');
  return (
    <Link href={`/albums/${id}`} className={`button ${styles.mapAlbum}`}>
      {t('Photos of “{name}”', { name })}
    </Link>
  );
}

function readPin(text: string | null) {
  const [lat = Number.NaN, lon = Number.NaN] = text?.split(',').map(Number) ?? [];
  return Number.isFinite(lat) && Number.isFinite(lon) ? toWorld({ lat, lon }) : undefined;
}

function Pin({ at, view, size }: { at: { x: number; y: number }; view: View; size: Size }) {
  const { left, top } = toScreen(at, view, size);
  return <span data-part="map-pin" className={styles.mapPin} style={{ left, top }} />;
}

function ScaleBar({ view }: { view: View }) {
  const { label, width } = scaleBar(view);
  return (
    <div className={styles.mapScale} style={{ width }} aria-hidden>
      {label}
    </div>
  );
}
