import {
  handleRenderVideo,
  handleTranscodeVideo,
} from '../../src/areas/assets/processing/thumbnails.handlers.ts';
import { handlePickFrames } from '../../src/areas/enrichment/frames/pick.handlers.ts';
import { handleExportFilm } from '../../src/areas/memories/exports/film.handlers.ts';
import { handleExportProject } from '../../src/areas/studio/exports/export.handlers.ts';
import { handleMakeOverview } from '../../src/areas/studio/sources/overview.handlers.ts';
import { handleRenderFrame } from '../../src/areas/studio/previews/render.handlers.ts';
import { closeTools } from '../../src/areas/assets/processing/media-tools.ts';
import { createLane } from './lane.ts';

export const video = createLane(
  'video',
  {
    'assets.renderVideo': handleRenderVideo,
    'assets.transcodeVideo': handleTranscodeVideo,
    'enrichment.pickFrames': handlePickFrames,
    'memories.exportFilm': handleExportFilm,
    'studio.exportProject': handleExportProject,
    'studio.makeOverview': handleMakeOverview,
    'studio.renderFrame': handleRenderFrame,
  },
  [closeTools],
);
