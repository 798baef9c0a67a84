export { queueMail, queueWorkflowMail } from './queue.domain.ts';
export { AdminConfigSmtpDto, AdminConfigTemplateEmailsDto } from './schemas.ts';
export {
  isMailEnabled,
  readExternalDomain,
  requireValidMail,
  withStoredPassword,
} from './settings.domain.ts';
