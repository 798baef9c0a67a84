import { Maximize, Minus, Plus, SlidersHorizontal } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { messageOf } from '../api.ts';
import { showError } from '../toast.tsx';
import { IconButton } from '../ui/parts.tsx';
import { BaseMap } from './base-map.tsx';
import { CellPanel } from './cell-panel.tsx';
import { FilterDialog } from './filter-dialog.tsx';
import {
  type Chosen,
  type Cluster,
  countChosen,
  fetchClusters,
  filterOf,
  type MapFilter,
  readChosen,
  writeChosen,
} from './map-data.ts';
import { Markers } from './markers.tsx';
import {
  fitting,
  MAX_ZOOM,
  readView,
  scaleBar,
  settle,
  type Size,
  toDegrees,
  toScreen,
  toWorld,
  type View,
  writeView,
} from './projection.ts';
import { useClusters } from './use-clusters.ts';
import { useGestures } from './use-gestures.ts';
import { useSize } from './use-size.ts';
import styles from './map.module.css';

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
  const filter = useMemo(() => filterOf(chosen), [chosen]);
  const cell = params.get('in') ?? undefined;
  const pin = readPin(params.get('pin'));

  const frame = useRef<HTMLDivElement>(null);
  const size = useSize(frame);
  const [view, setView] = useView(params, size, filter);
  const { clusters, error, isReady } = useClusters(view, size, filter, photoId ? 1 : 0);
  const { fly, zoomBy, handlers } = useGestures({ frame, size, view, setView });
  const [isFiltering, setFiltering] = useState(false);

  const pathOf = useCallback(
    (change: (next: URLSearchParams) => void, id?: string) => {
      const next = new URLSearchParams(search);
      change(next);
      return `/map${id ? `/photos/${id}` : ''}?${next}`;
    },
    [search],
  );
  useAddress(view, pathOf, photoId);

  const open = ({ cell: into, count, id }: Cluster) => {
    const path = pathOf((next) => next.set('in', into), count === 1 && id ? id : undefined);
    navigate(path, { replace: cell !== undefined });
  };
  const choose = (next: Chosen) =>
    navigate(
      pathOf((to) => {
        writeChosen(to, next);
        to.delete('in');
      }),
      { replace: true },
    );
  const hrefOf = useCallback((id: string | undefined) => pathOf(() => undefined, id), [pathOf]);
  const count = countChosen(chosen);
  return (
    <div className={cell ? `${styles.mapPage} ${styles.withPanel}` : styles.mapPage}>
      <h1 className="hidden-title">Map</h1>
      <div
        ref={frame}
        data-part="map-frame"
        className={styles.mapFrame}
        role="region"
        aria-label="Map: arrow keys move it, plus and minus zoom"
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
      <div className={styles.mapTools}>
        <IconButton icon={Plus} label="Zoom in" onClick={() => zoomBy(1)} />
        <IconButton icon={Minus} label="Zoom out" onClick={() => zoomBy(-1)} />
        <IconButton
          icon={Maximize}
          label="Show all photos"
          onClick={() => void fitView(filter, size).then(fly, showError)}
        />
      </div>
      <button className={`button ${styles.mapFilterButton}`} onClick={() => setFiltering(true)}>
        <SlidersHorizontal size={16} aria-hidden /> Filter{count > 0 ? ` (${count})` : ''}
      </button>
      <p className={styles.mapNote} role="status">
        {error ?? (isReady && clusters.length === 0 ? 'No photos were taken here' : '')}
      </p>
      {cell && (
        <CellPanel
          cell={cell}
          count={clusters.find((cluster) => cluster.cell === cell)?.count}
          filter={filter}
          photoId={photoId}
          hrefOf={hrefOf}
          onZoom={() => void viewOfCell(cell, filter, size).then(fly, showError)}
          onClose={() =>
            navigate(
              pathOf((next) => next.delete('in')),
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

async function fitView(filter: MapFilter, size: Size): Promise<View> {
  const { clusters } = await fetchClusters(WORLD, FIT_ZOOM, filter);
  return fitting(clusters, size);
}

/** Around the photos of the cell: there they are in several. */
async function viewOfCell(cell: string, filter: MapFilter, size: Size): Promise<View> {
  const [level = 0, x = 0, y = 0] = cell.split('/').map(Number);
  const cells = 2 ** level;
  const [corner, other] = [
    toDegrees({ x: x / cells, y: y / cells }),
    toDegrees({ x: (x + 1) / cells, y: (y + 1) / cells }),
  ];
  const bbox = [corner.lon, other.lat, other.lon, corner.lat].join(',');
  const { clusters } = await fetchClusters(bbox, Math.min(MAX_ZOOM - 1, level + 3), filter);
  const inside = clusters.filter((cluster) => isInside(cluster.cell, level, x, y));
  return fitting(inside, size, Math.max(12, level + 3));
}

function isInside(cell: string, level: number, x: number, y: number): boolean {
  const [deeper = 0, column = 0, row = 0] = cell.split('/').map(Number);
  const parts = 2 ** (deeper - level);
  return Math.floor(column / parts) === x && Math.floor(row / parts) === y;
}

/** What the address says, else everything there is. */
function useView(params: URLSearchParams, size: Size, filter: MapFilter) {
  const [view, setView] = useState<View>();
  const wanted = params.get('at');
  useEffect(() => {
    if (size.width === 0) return;
    const given = readView(wanted);
    // A smaller window shows the same place.
    if (view) return setView(settle(view, size));
    if (given) return setView(settle(given, size));
    let isGone = false;
    fitView(filter, size).then(
      (fit) => {
        if (!isGone) setView((old) => old ?? fit);
      },
      (problem: unknown) => {
        if (isGone) return;
        setView((old) => old ?? fitting([], size));
        showError(messageOf(problem));
      },
    );
    return () => {
      isGone = true;
    };
  }, [size]);
  return [view, setView] as const;
}

/** The address follows the view when it has come to rest, so that it can be come back to. */
function useAddress(
  view: View | undefined,
  pathOf: (change: (next: URLSearchParams) => void, id?: string) => string,
  photoId: string | undefined,
): void {
  const [, navigate] = useLocation();
  const at = view && writeView(view);
  const latest = useRef({ pathOf, photoId });
  latest.current = { pathOf, photoId };
  useEffect(() => {
    if (!at) return;
    const timer = setTimeout(() => {
      const now = latest.current;
      navigate(
        now.pathOf((next) => next.set('at', at), now.photoId),
        { replace: true },
      );
    }, ADDRESS_MS);
    return () => clearTimeout(timer);
  }, [at]);
}

function readPin(text: string | null) {
  const [lat, lon] = (text ?? '').split(',').map(Number);
  return text && Number.isFinite(lat) && Number.isFinite(lon)
    ? toWorld({ lat: lat!, lon: lon! })
    : undefined;
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
