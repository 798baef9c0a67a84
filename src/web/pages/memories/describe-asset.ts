import { formatDay, wallClock } from '../../base/format.ts';
import type { Asset } from '../../data/types.ts';

/** Describes a picture for who cannot see it: by its description, or the day it was taken. */
export const describeAsset = ({ exifInfo, localDateTime }: Asset): string =>
  exifInfo?.description || formatDay(wallClock(localDateTime, 0));
