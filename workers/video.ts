import { handleRenderVideo, handleTranscodeVideo } from '../src/areas/assets/render.handlers.ts';
import { closeTools } from '../src/areas/assets/tools.ts';
import { serveLane } from './serve.ts';

serveLane(
  'video',
  { 'assets.renderVideo': handleRenderVideo, 'assets.transcodeVideo': handleTranscodeVideo },
  closeTools,
);
