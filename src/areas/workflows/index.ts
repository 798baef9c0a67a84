export { recordEvents } from './runs/events.domain.ts';
