/** The parts of the address of a shared link: /share/<key> or /s/<slug>, then a photo perhaps. */
export type GuestPath = { link: { key: string } | { slug: string }; base: string };

export function parseGuestPath(pathname: string): GuestPath | undefined {
  const [, kind, name] = /^\/(share|s)\/([^/]+)/.exec(pathname) ?? [];
  if (!kind || !name) return undefined;
  const value = safeDecode(name);
  return {
    link: kind === 'share' ? { key: value } : { slug: value },
    base: `/${kind}/${name}`,
  };
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
