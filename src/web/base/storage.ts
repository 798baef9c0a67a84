// The browser's storage may be switched off; the page works without.

type Place = 'localStorage' | 'sessionStorage';

/** All tabs share the local storage. What belongs to one tab is in its session storage, which survives a reload. */
export function readStorage(key: string, place: Place = 'localStorage'): string | null {
  try {
    return globalThis[place].getItem(key);
  } catch {
    return null;
  }
}

/** Undefined removes the value. */
export function writeStorage(
  key: string,
  value: string | undefined,
  place: Place = 'localStorage',
): void {
  try {
    if (value === undefined) globalThis[place].removeItem(key);
    else globalThis[place].setItem(key, value);
  } catch {
    // Only this visit then.
  }
}

/** The login cookie itself is out of reach for scripts; this one only says that it is there. */
export const hasLoginCookie = (): boolean =>
  /(?:^|;\s*)immich_is_authenticated=true/.test(document.cookie);
