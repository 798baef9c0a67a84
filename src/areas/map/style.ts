// A MapLibre style for other clients, with land and borders from this server only. It has no labels, as
// they need fonts that other clients do not have.

export const THEMES = ['light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const COLOURS: Readonly<Record<Theme, { water: string; land: string; border: string }>> = {
  light: { water: '#cfe0ea', land: '#f4f2ec', border: '#b9b4a6' },
  dark: { water: '#10181f', land: '#232c34', border: '#4a5761' },
};

/** The GeoJSON of land and borders, served with the page's files. */
const OUTLINES = '/api/map/world.json';
export const getStylePath = (theme: Theme) => `/api/map/style/${theme}.json`;

export function createMapStyle(theme: Theme, request: Request): Record<string, unknown> {
  const { water, land, border } = COLOURS[theme];
  const source = 'world';
  return {
    version: 8,
    name: `Safelight ${theme}`,
    sources: { [source]: { type: 'geojson', data: toClientUrl(request, OUTLINES) } },
    layers: [
      { id: 'water', type: 'background', paint: { 'background-color': water } },
      { id: 'land', type: 'fill', source, paint: { 'fill-color': land } },
      { id: 'borders', type: 'line', source, paint: { 'line-color': border, 'line-width': 1 } },
    ],
  };
}

/** Returns a path for browsers, as a proxy may hide the public URL, and an absolute URL for apps. */
export function toClientUrl(request: Request, path: string): string {
  const isBrowser = request.headers.get('user-agent')?.startsWith('Mozilla/') ?? false;
  return isBrowser ? path : new URL(path, request.url).href;
}
