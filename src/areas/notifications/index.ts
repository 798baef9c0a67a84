export {
  notifyOfNewDevice,
  notify,
  notifyAdmins,
  tellAdmins,
  type NotificationEvent,
} from './notify.domain.ts';
