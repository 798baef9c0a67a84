import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { draw } from './draw.ts';
import type { Town } from '../../data/map/map-data.ts';
import type { Size, View } from '../../data/map/projection.ts';
import { loadTowns } from '../../data/map/queries.ts';
import { type Detail, loadWorld, type World } from './world.ts';
import styles from './map.module.css';

type Props = { view: View; size: Size; withTowns?: boolean };

/** From here on the fine outlines are worth their bytes. */
const FINE_ZOOM = 5.5;
const DEBOUNCE_MS = 120;

/** Land, borders and names, drawn anew for each view. */
export function BaseMap({ view, size, withTowns = true }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const world = useWorld(view.zoom > FINE_ZOOM ? 'fine' : 'coarse');
  const towns = useTowns(view, size, withTowns);
  const theme = useThemeChanges();
  useLayoutEffect(() => {
    if (!canvas.current) return;
    const element = canvas.current;
    const frame = requestAnimationFrame(() => draw(element, { world, towns, view, size }));
    return () => cancelAnimationFrame(frame);
  }, [world, towns, view, size, theme]);
  return (
    <canvas
      ref={canvas}
      data-part="base-map"
      className={styles.baseMap}
      data-ready={world !== undefined}
      aria-hidden
    />
  );
}

/** The coarse outlines are there until the fine ones have come. */
function useWorld(detail: Detail): World | undefined {
  const [worlds, setWorlds] = useState<Partial<Record<Detail, World>>>({});
  useEffect(() => {
    let isGone = false;
    loadWorld(detail).then(
      (world) => {
        if (!isGone) setWorlds((old) => ({ ...old, [detail]: world }));
      },
      // Pictures are on the map all the same; the next view asks again.
      () => undefined,
    );
    return () => {
      isGone = true;
    };
  }, [detail]);
  return worlds[detail] ?? worlds.coarse ?? worlds.fine;
}

function useTowns(view: View, size: Size, isWanted: boolean): readonly Town[] {
  const [towns, setTowns] = useState<readonly Town[]>([]);
  useEffect(() => {
    if (!isWanted || size.width === 0) return;
    let isGone = false;
    const timer = setTimeout(() => {
      loadTowns(view, size).then(
        (found) => {
          if (!isGone) setTowns(found);
        },
        () => undefined,
      );
    }, DEBOUNCE_MS);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [view, size, isWanted]);
  return towns;
}

/** Counts how often light and dark have changed places. */
function useThemeChanges(): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const again = () => setCount((old) => old + 1);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', again);
    const observer = new MutationObserver(again);
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      dark.removeEventListener('change', again);
      observer.disconnect();
    };
  }, []);
  return count;
}
