export { loginCookies } from './cookies.ts';
export { readDevice } from './device.ts';
export { openSession } from './domain.ts';
export { refuseOtherSites } from './other-sites.ts';
export { type Login, LoginResponseDto } from './schemas.ts';
