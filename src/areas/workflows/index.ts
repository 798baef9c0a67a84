export { recordEvents } from './runs/events.domain.ts';
export { wakeRuns, wakeRunsByFaces } from './runs/wake.domain.ts';
