import type { Town } from '../../../areas/map/clusters.schemas.ts';
import { type Size, toScreen, toWorld, type View, worldSize } from '../../data/map/projection.ts';
import type { Shape } from './shapes.ts';
import type { World } from './world.ts';

export type Scene = {
  readonly world: World | undefined;
  readonly towns: readonly Town[];
  readonly view: View;
  readonly size: Size;
};

/** A line this far south is where the map ends, no coast. */
const EDGE = 0.999;
const FONT = 'ui-sans-serif, system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif';

/** Colours come from the style of the element, so they follow the theme. */
function readColors(canvas: HTMLCanvasElement) {
  const { backgroundColor, fill, stroke, color, caretColor } = getComputedStyle(canvas);
  return { sea: backgroundColor, land: fill, line: stroke, text: color, halo: caretColor };
}

export function draw(canvas: HTMLCanvasElement, scene: Scene): void {
  const context = canvas.getContext('2d');
  const { size, view, world } = scene;
  if (!context || size.width === 0) return;
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const colours = readColors(canvas);
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillStyle = colours.sea;
  context.fillRect(0, 0, width, height);
  const scale = worldSize(view.zoom);
  if (world) {
    // South of the map's edge all is Antarctica.
    const edge = ((1 - view.y) * scale + size.height / 2) * ratio;
    context.fillStyle = colours.land;
    if (edge < height) context.fillRect(0, edge, width, height - edge);

    const half = size.width / 2 / scale;
    const [first, last] = [Math.floor(view.x - half) - 1, Math.floor(view.x + half) + 1];
    for (let copy = first; copy <= last; copy++) {
      const left = (copy - view.x) * scale + size.width / 2;
      const top = -view.y * scale + size.height / 2;
      const all = scale * ratio;
      context.setTransform(all, 0, 0, all, left * ratio, top * ratio);
      outline(context, world, { ...scene, copy, colours });
    }
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  label(context, scene, colours);
}

type Colours = ReturnType<typeof readColors>;
type OutlineScene = Scene & { readonly copy: number; readonly colours: Colours };

function outline(context: CanvasRenderingContext2D, world: World, part: OutlineScene): void {
  const { view, size, copy, colours } = part;
  const scale = worldSize(view.zoom);
  const [across, down] = [size.width / 2 / scale, size.height / 2 / scale];
  const isSeen = ({ left, right, top, bottom }: Shape) =>
    right + copy > view.x - across &&
    left + copy < view.x + across &&
    bottom > view.y - down &&
    top < view.y + down;
  context.fillStyle = colours.land;
  for (const shape of world.land) if (isSeen(shape)) context.fill(shape.path, 'evenodd');
  context.strokeStyle = colours.line;
  context.lineJoin = 'round';
  context.lineWidth = 1 / scale;
  for (const shape of world.coasts) {
    if (isSeen(shape) && shape.top < EDGE) context.stroke(shape.path);
  }
  context.setLineDash([4 / scale, 3 / scale]);
  for (const shape of world.borders) if (isSeen(shape)) context.stroke(shape.path);
  context.setLineDash([]);
}

type Placed = { left: number; top: number; right: number; bottom: number };

/** Names of countries from far away, of towns from near: the large ones first, none over another. */
function label(
  context: CanvasRenderingContext2D,
  { world, towns, view, size }: Scene,
  colours: Colours,
): void {
  const taken: Placed[] = [];
  const scale = worldSize(view.zoom);
  context.textBaseline = 'middle';
  context.lineJoin = 'round';
  context.lineWidth = 3;
  context.strokeStyle = colours.halo;
  context.fillStyle = colours.text;
  const write = (text: string, left: number, top: number): boolean => {
    const width = context.measureText(text).width;
    const place = { left: left - 4, top: top - 9, right: left + width + 4, bottom: top + 9 };
    if (place.right < 0 || place.left > size.width || place.bottom < 0 || place.top > size.height) {
      return false;
    }
    if (taken.some((other) => overlaps(place, other))) return false;
    taken.push(place);
    context.strokeText(text, left, top);
    context.fillText(text, left, top);
    return true;
  };
  if (view.zoom < 7) {
    context.font = `600 12px ${FONT}`;
    for (const { name, x, y, width } of world?.countries ?? []) {
      const long = context.measureText(name).width;
      if (width * scale < long * 1.1) continue;
      const { left, top } = toScreen({ x, y }, view, size);
      write(name, left - long / 2, top);
    }
  }
  if (view.zoom < 3.5) return;
  for (const { name, lat, lon, population } of towns) {
    const { left, top } = toScreen(toWorld({ lat, lon }), view, size);
    context.font = `${population > 500_000 ? '550 12.5px' : '450 11.5px'} ${FONT}`;
    if (!write(name, left + 7, top)) continue;
    context.beginPath();
    context.arc(left, top, 2.5, 0, 2 * Math.PI);
    context.stroke();
    context.fill();
  }
}

const overlaps = (a: Placed, b: Placed): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
