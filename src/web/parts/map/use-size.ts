import { type RefObject, useLayoutEffect, useState } from 'react';
import type { Size } from '../../data/map/projection.ts';

/** Returns the size of an element in CSS px; 0 before it is measured. */
export function useSize(element: RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) => {
      const { width = 0, height = 0 } = entry?.contentRect ?? {};
      setSize((old) => (old.width === width && old.height === height ? old : { width, height }));
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return size;
}
