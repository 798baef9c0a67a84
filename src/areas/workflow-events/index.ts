export {
  recordEvents,
  type Screening,
  setEventScreening,
  wakeRuns,
  wakeRunsByFaces,
} from './events.domain.ts';
export {
  deleteEvent,
  lockOldestEvent,
  moveEvent,
  setEventDepth,
  type WorkflowEvent,
} from './events.store.ts';
export { advanceRuns } from './jobs.ts';
