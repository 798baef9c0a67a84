export { notifyOfNewDevice } from './devices.domain.ts';
export { notify, notifyAdmins, tellAdmins, type NotificationEvent } from './notify.domain.ts';
