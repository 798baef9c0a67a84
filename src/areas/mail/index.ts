export { sendInvitationMail } from './domain.ts';
export type { FindMailAlbum } from './compose.domain.ts';
export { queueMail, queueWorkflowMail } from './queue.domain.ts';
export {
  isMailEnabled,
  readExternalDomain,
  requireValidMail,
  withStoredPassword,
} from './settings.domain.ts';
