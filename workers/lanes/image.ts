import { handleRenderEdits } from '../../src/areas/assets/edits/edits.handlers.ts';
import { handleRenderImage } from '../../src/areas/assets/processing/thumbnails.handlers.ts';
import { handleRenderPerson } from '../../src/areas/people/thumbnail/thumbnail.handlers.ts';
import { closeTools } from '../../src/areas/assets/processing/media-tools.ts';
import { createLane } from './lane.ts';

export const image = createLane(
  'image',
  {
    'assets.renderImage': handleRenderImage,
    'assets.renderEdits': handleRenderEdits,
    'people.render': handleRenderPerson,
  },
  [closeTools],
);
