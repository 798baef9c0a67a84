import { readFileSync } from 'node:fs';
import type { TagModel } from '../models/installed.ts';
import type { Label, Pixels } from '../types.ts';
import { toChannelsLast } from './channels.ts';
import { resize } from './picture.ts';
import { feed, floats, toFloats, type Sessions } from './session.ts';
import { listGreatest, normalize } from '../vectors/arithmetic.ts';

const SIDE = 224;
const MOST_LABELS = 10;
const LEAST_SCORE = 0.03;
const NORMAL = { mean: [127.5, 127.5, 127.5], std: [127.5, 127.5, 127.5] };

export type Tags = {
  readonly label: (picture: Pixels) => Promise<Label[]>;
  /** Feature of the whole picture, ignoring the aspect ratio: cropped copies stay similar. */
  readonly feature: (picture: Pixels) => Promise<Float32Array>;
};

/** MobileNet: probabilities of 1001 classes, and the feature before the last layer. */
export async function openTags(sessions: Sessions, model: TagModel): Promise<Tags> {
  const session = await sessions.open('tags', model.model);
  const names = readFileSync(model.labels, 'utf8').trim().split('\n');
  const [scoresName = '', featureName = ''] = session.outputs;
  const run = (picture: Pixels) =>
    feed(session, floats(toChannelsLast(picture, NORMAL), [1, SIDE, SIDE, 3]));
  return {
    async label(picture) {
      const found = await run(await resize(picture, SIDE, SIDE, { fit: 'cover' }));
      const scores = toFloats(found[scoresName]);
      return listGreatest(scores, MOST_LABELS).flatMap(({ index, value: score }) =>
        // The first kind is 'background'.
        index > 0 && score > LEAST_SCORE ? [{ label: getLabel(names[index]), score }] : [],
      );
    },
    async feature(picture) {
      const found = await run(await resize(picture, SIDE, SIDE));
      return normalize(toFloats(found[featureName]));
    },
  };
}

/** Some have several names, separated by commas. */
const getLabel = (names: string | undefined) => names?.split(',')[0]?.trim() ?? 'unknown';
