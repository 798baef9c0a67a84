import { createPublicKey, verify } from 'node:crypto';

/** Public keys of those who sign product keys: SPKI, PEM. */
export type SigningKeys = { readonly client: string; readonly server: string };

const toPem = (body: string): string =>
  `-----BEGIN PUBLIC KEY-----\n${body}\n-----END PUBLIC KEY-----\n`;

/** Immich's, with which keys are signed that people have bought. */
export const IMMICH_KEYS: SigningKeys = {
  client: toPem(`MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAv/7S32cRA5++1NnVDsCM
spP/jJHIMqOJXFnh4NwA2Opz+RMfdco92PsOgh+wwQeEv1U2c2pjzTiQ/2lrKq/k
zJRlXwc4cUesQDMJOF+P2qONPbAJkXvCXYBULitCIkoLwfhSGNjyIKaRDhd/tNyN
8+hNRZnYT1hSIj9SCkKxUCOzatPV4mCDerS+bE+gEUeWp99V9azvF0FImnTWpQSw
c8wEZgOMh4svh6aicwdzkPCwELak0VaBH31BEUCQLb9+AItHAUtJCKxhb5Wjs1s9
brXfi0vrpgcZ/6DanY2qfSPznOmvD2FrrlS1q4JJN3Vo7Ww/0Yy/yMcmzTWZhGuh
UQIDAQAB`),
  server: toPem(`MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAopnYDa0a/dU5IeG74iEE
MwdAKjsNczLdCqRd1Z9y5T2wjO7eYIOeJTsl350sR0p4KfSUDSXvC9NpDpc1tOKl
5shC/AxpvQALCokF4jt8vrrd9fCaXc1TqRbOmnhiugD6vkr0O/Fb3UDi3U0TvhPP
lPdvSawzLrWZPLfmHVVrbrSKmn9IeSgy07ukWTIyLsciNrvnBywsJaReDuoNWPBH
U/mo2mXa8m4wMWhiXehiIOQqMuSUgPeCsWj8UVx1CGlRzPDA0bVNQveKXWVxcEI6
ULEgJy2F49lH0+aYCmBf7NEr6VQ2WB95evTKXKvn0qIM7ngFlcUAw6fuV1cNCTJS
6wIDAQAB`),
};

/** Tells whether the activation key, in base64 or base64url, is a signature (RSA, SHA-256) of the key. */
export const isSigned = (licenseKey: string, activationKey: string, publicKey: string): boolean =>
  verify(
    'sha256',
    Buffer.from(licenseKey),
    createPublicKey(publicKey),
    Buffer.from(activationKey, 'base64'),
  );
