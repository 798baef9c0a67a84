import { handleReadMetadata } from '../../src/areas/assets/exif/exif.handlers.ts';
import { closeTools } from '../../src/areas/assets/processing/media-tools.ts';
import { setEventScreening } from '../../src/areas/workflow-events/index.ts';
import { createLane } from './lane.ts';

setEventScreening(
  async () => (await import('../../src/areas/workflows/runs/screening.domain.ts')).screenEvents,
);
export const metadata = createLane('metadata', { 'assets.readMetadata': handleReadMetadata }, [
  closeTools,
]);
