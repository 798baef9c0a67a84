import { handleRenderImage } from '../src/areas/assets/render.handlers.ts';
import { closeTools } from '../src/areas/assets/tools.ts';
import { serveLane } from './serve.ts';

serveLane('image', { 'assets.renderImage': handleRenderImage }, closeTools);
