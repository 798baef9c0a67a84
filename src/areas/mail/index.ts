export { queueMail } from './queue.domain.ts';
export { isMailEnabled } from './settings.domain.ts';
