export { UserResponseDto } from './schemas.ts';
export { toUser } from './user.ts';
