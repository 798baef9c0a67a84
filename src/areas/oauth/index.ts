export { findEndSessionUrl } from './end-session.domain.ts';
