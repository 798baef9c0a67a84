export { queueMail } from './queue.domain.ts';
