export { notify, notifyAdmins, type NotificationEvent } from './notify.domain.ts';
