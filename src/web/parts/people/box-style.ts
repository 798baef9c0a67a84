import type { Place } from '../../data/people/faces-data.ts';

const percent = (part: number) => `${part * 100}%`;

/** Returns the CSS position of a box on its picture. */
export const toBoxStyle = ({ x, y, width, height }: Place) => ({
  left: percent(x),
  top: percent(y),
  width: percent(width),
  height: percent(height),
});
