import type { ObjectModel } from '../models/installed.ts';
import { MIN_OBJECT_SCORE } from '../models/prepared.ts';
import type { DetectedObject, Pixels } from '../types.ts';
import { clipBox, suppressOverlaps } from './boxes.ts';
import { COCO_LABELS } from './coco.ts';
import { toChannelsLast } from './channels.ts';
import { letterbox } from './picture.ts';
import { feed, floats, toFloats, type Sessions } from './session.ts';

const SIDE = 448;
const MOST_OVERLAP = 0.5;
const NORMAL = { mean: [127, 127, 127], std: [128, 128, 128] };

export type Objects = (picture: Pixels) => Promise<DetectedObject[]>;

/** EfficientDet-Lite2 without its post-processing: raw boxes, scores of 90 kinds, anchors. */
export async function openObjects(sessions: Sessions, model: ObjectModel): Promise<Objects> {
  const session = await sessions.open('objects', model.model, { use: 'objects' });
  const [boxesName = '', scoresName = '', anchorsName = ''] = session.outputs;
  return async (picture) => {
    const input = await letterbox(picture, SIDE);
    const found = await feed(session, floats(toChannelsLast(input, NORMAL), [1, SIDE, SIDE, 3]));
    const boxes = toFloats(found[boxesName]);
    const scores = toFloats(found[scoresName]);
    const anchors = toFloats(found[anchorsName]);
    const count = anchors.length / 4;
    const kinds = scores.length / count;
    const objects: DetectedObject[] = [];
    for (let index = 0; index < count; index++) {
      const { kind, score } = bestKind(scores, index * kinds, kinds);
      const label = COCO_LABELS[kind];
      if (score < MIN_OBJECT_SCORE || !label) continue;
      const [x, y, width, height] = decode(boxes, anchors, index * 4);
      const box = clipBox({
        x1: (x - width / 2) / input.fillX,
        y1: (y - height / 2) / input.fillY,
        x2: (x + width / 2) / input.fillX,
        y2: (y + height / 2) / input.fillY,
      });
      if (box.x2 > box.x1 && box.y2 > box.y1) objects.push({ label, score, box });
    }
    return suppressOverlaps(objects, MOST_OVERLAP, (a, b) => a.label === b.label);
  };
}

function bestKind(scores: Float32Array, start: number, count: number) {
  let kind = 0;
  let score = 0;
  for (let at = 0; at < count; at++) {
    const value = scores[start + at]!;
    if (value <= score) continue;
    score = value;
    kind = at;
  }
  return { kind, score };
}

function decode(boxes: Float32Array, anchors: Float32Array, at: number) {
  const [anchorY, anchorX] = [anchors[at]!, anchors[at + 1]!];
  const [anchorHeight, anchorWidth] = [anchors[at + 2]!, anchors[at + 3]!];
  return [
    boxes[at + 1]! * anchorWidth + anchorX,
    boxes[at]! * anchorHeight + anchorY,
    Math.exp(boxes[at + 3]!) * anchorWidth,
    Math.exp(boxes[at + 2]!) * anchorHeight,
  ] as const;
}
