export { stopVideoStreams } from './sessions.ts';
