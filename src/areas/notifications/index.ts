export { notify, type NotificationEvent } from './notify.domain.ts';
