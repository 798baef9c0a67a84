import { getFirst } from '../../../core/required.ts';
/** A place in the world of Web Mercator, 0 to 1: x to the east, y to the south. */
export type WorldPoint = { readonly x: number; readonly y: number };
/** The middle of the screen, 0..1 of the world; at zoom 0 that is 256 px wide, and doubles with each. */
export type View = WorldPoint & { readonly zoom: number };
export type Size = { readonly width: number; readonly height: number };
export type Degrees = { readonly lat: number; readonly lon: number };

export const TILE = 256;
export const MAX_ZOOM = 19;
/** The world is square with this latitude at its edges. */
const LAST_LATITUDE = 85.0511287798066;

export function toWorld({ lat, lon }: Degrees): WorldPoint {
  const bound = Math.max(-LAST_LATITUDE, Math.min(LAST_LATITUDE, lat));
  const y = (1 - Math.asinh(Math.tan((bound * Math.PI) / 180)) / Math.PI) / 2;
  return { x: (lon + 180) / 360, y };
}

export const toDegrees = ({ x, y }: WorldPoint): Degrees => ({
  lat: (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI,
  lon: wrap(x) * 360 - 180,
});

/** Once around the world is the same place. */
export const wrap = (x: number): number => x - Math.floor(x);

/** Pixels of the whole world. */
export const worldSize = (zoom: number): number => TILE * 2 ** zoom;

/** In pixels from the upper left corner; of the copies of the world the one next to the middle. */
export function toScreen(point: WorldPoint, view: View, size: Size) {
  const scale = worldSize(view.zoom);
  const across = point.x - view.x;
  return {
    left: (across - Math.round(across)) * scale + size.width / 2,
    top: (point.y - view.y) * scale + size.height / 2,
  };
}

/** The world fills the width. */
export const minZoom = ({ width }: Size): number => Math.max(0, Math.log2(width / TILE));

/** As near as possible to the view that was wanted: nothing beyond the poles, no zoom that is not there. */
export function clampView(view: View, size: Size): View {
  const zoom = Math.max(minZoom(size), Math.min(MAX_ZOOM, view.zoom));
  const half = size.height / 2 / worldSize(zoom);
  const y = half >= 0.5 ? 0.5 : Math.max(half, Math.min(1 - half, view.y));
  return { x: wrap(view.x), y, zoom };
}

/** Where the view comes to when the map is pulled by so many pixels. */
export const panView = (view: View, left: number, top: number): View => {
  const scale = worldSize(view.zoom);
  return { ...view, x: view.x - left / scale, y: view.y - top / scale };
};

/** The same place stays under a point of the screen, given from its middle. */
export function zoomViewAt(view: View, by: number, left: number, top: number, size: Size): View {
  const zoom = Math.max(minZoom(size), Math.min(MAX_ZOOM, view.zoom + by));
  const [before, after] = [worldSize(view.zoom), worldSize(zoom)];
  return {
    x: view.x + left / before - left / after,
    y: view.y + top / before - top / after,
    zoom,
  };
}

/** Degrees of what is seen and `more` of its size around it, as the API takes it: west,south,east,north. */
export function toBbox(view: View, size: Size, more = 0): string {
  const scale = worldSize(view.zoom);
  const [across, down] = [size.width, size.height].map(
    (length) => (length / 2 / scale) * (1 + more),
  ) as [number, number];
  const [north, south] = [
    toDegrees({ x: 0, y: Math.max(0, view.y - down) }).lat,
    toDegrees({ x: 0, y: Math.min(1, view.y + down) }).lat,
  ];
  const isAllAround = across >= 0.5;
  const west = isAllAround ? -180 : toDegrees({ x: view.x - across, y: 0.5 }).lon;
  const east = isAllAround ? 180 : toDegrees({ x: view.x + across, y: 0.5 }).lon;
  return [west, view.y - down <= 0 ? -90 : south, east, view.y + down >= 1 ? 90 : north]
    .map((degrees) => degrees.toFixed(6))
    .join(',');
}

/** Shows all of these places with some room around them. */
export function fitView(places: readonly Degrees[], size: Size, most = 12): View {
  if (places.length === 0) return clampView({ x: 0.5, y: 0.42, zoom: 0 }, size);
  const points = places.map(toWorld);
  const { from: left, to: right } = narrowest(points.map(({ x }) => x));
  const ys = points.map(({ y }) => y);
  const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
  const room = (length: number, span: number) =>
    Math.log2((length * 0.72) / TILE / Math.max(span, 1e-9));
  const zoom = Math.min(most, room(size.width, right - left), room(size.height, bottom - top));
  return clampView({ x: (left + right) / 2, y: (top + bottom) / 2, zoom }, size);
}

/** The narrowest stretch around the world with all of these: everything but the widest gap. */
function narrowest(xs: readonly number[]): { from: number; to: number } {
  const sorted = xs.map(wrap).toSorted((a, b) => a - b);
  const first = getFirst(sorted);
  let [widest, from, before] = [0, first, first];
  for (const x of sorted) {
    if (x - before > widest) [widest, from] = [x - before, x];
    before = x;
  }
  const around = first + 1 - before;
  if (around > widest) [widest, from] = [around, first];
  return { from, to: from + 1 - widest };
}

/** 'lat,lon,zoom' of an address. */
export function readView(text: string | null): View | undefined {
  const [lat = Number.NaN, lon = Number.NaN, zoom = Number.NaN] =
    text?.split(',').map(Number) ?? [];
  const isPlace = [lat, lon, zoom].every(Number.isFinite);
  return isPlace ? { ...toWorld({ lat, lon }), zoom } : undefined;
}
export function writeView(view: View): string {
  const { lat, lon } = toDegrees(view);
  const digits = Math.max(2, Math.ceil(view.zoom / 3) + 1);
  return `${lat.toFixed(digits)},${lon.toFixed(digits)},${view.zoom.toFixed(1)}`;
}

/** A round length and how wide it is in the middle of the screen. */
export function scaleBar(view: View): { label: string; width: number } {
  const metres =
    (40_075_016 * Math.cos((toDegrees(view).lat * Math.PI) / 180)) / worldSize(view.zoom);
  const most = metres * 110;
  const power = 10 ** Math.floor(Math.log10(most));
  const length = [5, 2, 1].map((factor) => factor * power).find((one) => one <= most) ?? power;
  return {
    label: length >= 1000 ? `${length / 1000} km` : `${length} m`,
    width: length / metres,
  };
}
