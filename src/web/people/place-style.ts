import type { Place } from './faces-data.ts';

const percent = (part: number) => `${part * 100}%`;

/** Where a box goes on its picture. */
export const styleOf = ({ x, y, width, height }: Place) => ({
  left: percent(x),
  top: percent(y),
  width: percent(width),
  height: percent(height),
});
