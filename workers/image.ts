import { handleRenderEdits } from '../src/areas/assets/edits.handlers.ts';
import { handleRenderImage } from '../src/areas/assets/render.handlers.ts';
import { handleRenderPerson } from '../src/areas/people/thumbnail.handlers.ts';
import { closeTools } from '../src/areas/assets/tools.ts';
import { serveLane } from './serve.ts';

serveLane(
  'image',
  {
    'assets.renderImage': handleRenderImage,
    'assets.renderEdits': handleRenderEdits,
    'people.render': handleRenderPerson,
  },
  closeTools,
);
