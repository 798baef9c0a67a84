import { t } from 'elysia';
import { UserLicense } from '../users/index.ts';

export const LicenseKeyDto = t.Pick(UserLicense, ['activationKey', 'licenseKey'], {
  title: 'LicenseKeyDto',
});
export type LicenseKey = typeof LicenseKeyDto.static;
export { UserLicense };
export type License = typeof UserLicense.static;
