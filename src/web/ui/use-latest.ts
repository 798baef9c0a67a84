import { type RefObject, useLayoutEffect, useRef } from 'react';

/** A reference to the newest value, for handlers that go on after the page was drawn again. */
export function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value);
  useLayoutEffect(() => {
    latest.current = value;
  });
  return latest;
}
