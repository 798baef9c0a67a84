export { type Device, listUserSessions, type OAuthSession, startSession } from './domain.ts';
export { SessionResponseDto } from './schemas.ts';
export {
  deleteSession,
  deleteSessions,
  findSession,
  lockSessions,
  updateSession,
} from './store.ts';
