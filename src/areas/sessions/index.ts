export { type Device, listUserSessions, startSession } from './domain.ts';
export { SessionResponseDto } from './schemas.ts';
export {
  deleteSession,
  deleteSessions,
  findSession,
  lockSessions,
  updateSession,
} from './store.ts';
