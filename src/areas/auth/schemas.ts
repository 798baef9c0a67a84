import { t } from 'elysia';
import { Email, Uuid } from '../../http/schemas.ts';
import { NewPassword, PersonName, PinCode } from '../users/index.ts';

export const SignUpDto = t.Object(
  { email: Email, name: PersonName, password: NewPassword },
  { title: 'SignUpDto' },
);
export type SignUp = typeof SignUpDto.static;

export const LoginCredentialDto = t.Object(
  { email: Email, password: t.String() },
  { title: 'LoginCredentialDto' },
);
export type LoginCredential = typeof LoginCredentialDto.static;

export const LoginResponseDto = t.Object(
  {
    accessToken: t.String(),
    isAdmin: t.Boolean(),
    isOnboarded: t.Boolean(),
    name: t.String(),
    profileImagePath: t.String(),
    shouldChangePassword: t.Boolean(),
    userEmail: t.String(),
    userId: Uuid,
  },
  { title: 'LoginResponseDto' },
);
export type Login = typeof LoginResponseDto.static;

export const LogoutResponseDto = t.Object(
  { redirectUri: t.String(), successful: t.Boolean() },
  { title: 'LogoutResponseDto' },
);

export const ChangePasswordDto = t.Object(
  {
    password: t.String(),
    newPassword: NewPassword,
    invalidateSessions: t.Optional(t.Boolean({ default: false })),
  },
  { title: 'ChangePasswordDto' },
);
export type ChangePassword = typeof ChangePasswordDto.static;

export const ValidateAccessTokenResponseDto = t.Object(
  { authStatus: t.Boolean() },
  { title: 'ValidateAccessTokenResponseDto' },
);

export const AuthStatusResponseDto = t.Object(
  {
    expiresAt: t.Optional(t.String()),
    isElevated: t.Boolean(),
    password: t.Boolean(),
    pinCode: t.Boolean(),
    pinExpiresAt: t.Optional(t.String()),
  },
  { title: 'AuthStatusResponseDto' },
);
export type AuthStatus = typeof AuthStatusResponseDto.static;

export const PinCodeSetupDto = t.Object({ pinCode: PinCode }, { title: 'PinCodeSetupDto' });

/** One of the two proves that the caller is the owner and not only at the owner's screen. */
const PROOF = { password: t.Optional(t.String()), pinCode: t.Optional(PinCode) };

export const PinCodeChangeDto = t.Object(
  { newPinCode: PinCode, ...PROOF },
  { title: 'PinCodeChangeDto' },
);
export type PinChange = typeof PinCodeChangeDto.static;

export const PinCodeResetDto = t.Object(PROOF, { title: 'PinCodeResetDto' });
export type PinProof = typeof PinCodeResetDto.static;

export const SessionUnlockDto = t.Object(PROOF, { title: 'SessionUnlockDto' });
export const SessionProofDto = t.Object(PROOF, { title: 'SessionProofDto' });
