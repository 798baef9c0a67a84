/** A view of a picture: its scale, and its shift in parts of the pane's width and height. */
export type PanZoom = { scale: number; x: number; y: number };

export const FIT: PanZoom = { scale: 1, x: 0, y: 0 };
export const MAX_SCALE = 16;

/** A point of a pane from its middle, in parts of its width and height: -0.5 to 0.5. */
export type Point = { x: number; y: number };

/** Returns the view after it grew by a factor around a point, which stays where it is. */
export function zoomAt(view: PanZoom, factor: number, { x, y }: Point): PanZoom {
  const scale = Math.min(MAX_SCALE, Math.max(1, view.scale * factor));
  const by = scale / view.scale;
  return limit({ scale, x: x - (x - view.x) * by, y: y - (y - view.y) * by });
}

export const panBy = (view: PanZoom, dx: number, dy: number): PanZoom =>
  limit({ ...view, x: view.x + dx, y: view.y + dy });

/** The edge of the pane's picture never comes into the pane. */
function limit({ scale, x, y }: PanZoom): PanZoom {
  const most = (scale - 1) / 2;
  const clamp = (value: number) => Math.min(most, Math.max(-most, value)) || 0;
  return { scale, x: clamp(x), y: clamp(y) };
}
