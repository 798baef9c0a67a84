export { notifyOfNewDevice } from './devices.domain.ts';
export { notify, notifyAdmins, type NotificationEvent } from './notify.domain.ts';
