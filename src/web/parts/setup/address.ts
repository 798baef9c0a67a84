/** Returns the address as the app takes it, without a slash at its end; undefined for a text that is none. */
export function toServerAddress(text: string): string | undefined {
  const trimmed = text.trim();
  const address = /^https?:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`;
  if (!trimmed || !URL.canParse(address)) return undefined;
  const { origin, pathname, username, password } = new URL(address);
  return username || password ? undefined : `${origin}${pathname.replace(/\/+$/, '')}`;
}

/** Returns whether other machines reach this address: not those by which a machine calls itself. */
export const isReachable = (address: string): boolean =>
  !/^(?:localhost|.*\.localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\])$/.test(
    new URL(address).hostname,
  );
