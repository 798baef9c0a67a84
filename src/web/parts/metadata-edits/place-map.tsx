import { type KeyboardEvent, type MouseEvent, useEffect, useRef, useState } from 'react';
import { BaseMap } from '../map/base-map.tsx';
import {
  clampView,
  fitView,
  type Size,
  toDegrees,
  toScreen,
  toWorld,
  type View,
  worldSize,
} from '../../data/map/projection.ts';
import { useGestures } from '../map/use-gestures.ts';
import { useSize } from '../map/use-size.ts';
import type { Position } from '../../data/metadata-edits/change.ts';
import mapStyles from '../map/map.module.css';
import styles from './dialog.module.css';
import { t } from '../../base/i18n.ts';

type Props = { position: Position | undefined; onChoose: (position: Position) => void };

const TOWN_ZOOM = 9;
const DIGITS = 1e6;

/** A map on which a click, or Enter in its middle, chooses a place. */
export function PlaceMap({ position, onChoose }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const size = useSize(frame);
  const [moved, setView] = useState<View>();
  const view = moved ?? (size.width > 0 ? fitView([], size) : undefined);
  const { handlers } = useGestures({ frame, size, view, setView });
  useFollow(position, view, size, setView);

  const choose = (left: number, top: number) => {
    if (!view) return;
    const scale = worldSize(view.zoom);
    const { lat, lon } = toDegrees({
      x: view.x + (left - size.width / 2) / scale,
      y: view.y + (top - size.height / 2) / scale,
    });
    onChoose({
      latitude: Math.round(lat * DIGITS) / DIGITS,
      longitude: Math.round(lon * DIGITS) / DIGITS,
    });
  };
  const onClick = (event: MouseEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    choose(event.clientX - box.left, event.clientY - box.top);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== 'Enter') return handlers.onKeyDown(event);
    event.preventDefault();
    choose(size.width / 2, size.height / 2);
  };
  const pin = position && view && toScreen(toPoint(position), view, size);
  return (
    <>
      <div
        ref={frame}
        data-part="place-map"
        className={styles.map}
        role="region"
        aria-label={t('Map: arrow keys move it, plus and minus zoom, Enter chooses its middle')}
        tabIndex={0}
        {...handlers}
        onClick={onClick}
        onKeyDown={onKeyDown}
      >
        {view && size.width > 0 && <BaseMap view={view} size={size} />}
        {pin && (
          <span
            data-part="map-pin"
            className={mapStyles.mapPin}
            style={{ left: pin.left, top: pin.top }}
          />
        )}
      </div>
      <p className="field-note" role="status">
        {position
          ? `${position.latitude.toFixed(5)}, ${position.longitude.toFixed(5)}`
          : t('Find a town, or click on the map.')}
      </p>
    </>
  );
}

const toPoint = ({ latitude, longitude }: Position) => toWorld({ lat: latitude, lon: longitude });

/** Moves the map to a position that was chosen elsewhere. */
function useFollow(
  position: Position | undefined,
  view: View | undefined,
  size: Size,
  setView: (view: View) => void,
): void {
  const shown = useRef<Position>(undefined);
  useEffect(() => {
    if (!position || !view || position === shown.current) return;
    shown.current = position;
    const { left, top } = toScreen(toPoint(position), view, size);
    const isSeen = left > 0 && top > 0 && left < size.width && top < size.height;
    if (isSeen && view.zoom >= TOWN_ZOOM / 2) return;
    setView(clampView({ ...toPoint(position), zoom: Math.max(view.zoom, TOWN_ZOOM) }, size));
  }, [position, view, size, setView]);
}
