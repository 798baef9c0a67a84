// A style for MapLibre, as other clients ask for it: land and borders out of this server, nothing from
// elsewhere. Names would need fonts, which no other client brings along.

export const THEMES = ['light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const COLOURS: Readonly<Record<Theme, { water: string; land: string; border: string }>> = {
  light: { water: '#cfe0ea', land: '#f4f2ec', border: '#b9b4a6' },
  dark: { water: '#10181f', land: '#232c34', border: '#4a5761' },
};

/** The GeoJSON of the outlines, served with the files of the page. */
const OUTLINES = '/api/map/world.json';
export const stylePath = (theme: Theme) => `/api/map/style/${theme}.json`;

export function mapStyle(theme: Theme, request: Request): Record<string, unknown> {
  const { water, land, border } = COLOURS[theme];
  const source = 'world';
  return {
    version: 8,
    name: `Safelight ${theme}`,
    sources: { [source]: { type: 'geojson', data: urlFor(request, OUTLINES) } },
    layers: [
      { id: 'water', type: 'background', paint: { 'background-color': water } },
      { id: 'land', type: 'fill', source, paint: { 'fill-color': land } },
      { id: 'borders', type: 'line', source, paint: { 'line-color': border, 'line-width': 1 } },
    ],
  };
}

/**
 * For browsers a path: a proxy may have hidden from us where they think they are. Apps have no page
 * to resolve it against and get the whole URL.
 */
export function urlFor(request: Request, path: string): string {
  const isBrowser = request.headers.get('user-agent')?.startsWith('Mozilla/') ?? false;
  return isBrowser ? path : new URL(path, request.url).href;
}
