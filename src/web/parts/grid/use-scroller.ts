import { useLayoutEffect, useRef, useState } from 'react';
import { createScroller } from './scroller.ts';

/** Returns a scroller, and the refs of the element that scrolls and of the timeline inside it. */
export function useScroller() {
  const [scroller] = useState(createScroller);
  const [scrolled, body] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)];
  useLayoutEffect(() => {
    if (!scrolled.current || !body.current) return;
    return scroller.attach(scrolled.current, body.current);
  }, [scroller, scrolled, body]);
  return { scroller, scrolled, body };
}
