export { recordEvents } from './events.domain.ts';
export {
  deleteEvent,
  lockOldestEvent,
  moveEvent,
  setEventDepth,
  type WorkflowEvent,
} from './events.store.ts';
export { advanceRuns } from './jobs.ts';
export { type Screening, setEventScreening } from './screening.ts';
export { wakeRuns, wakeRunsByFaces } from './wake.domain.ts';
