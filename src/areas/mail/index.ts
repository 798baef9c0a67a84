export { queueMail } from './queue.domain.ts';
export { isMailEnabled, readExternalDomain } from './settings.domain.ts';
