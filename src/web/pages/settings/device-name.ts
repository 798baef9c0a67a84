import { t } from '../../base/i18n.ts';

type Device = { readonly deviceType: string; readonly deviceOS: string };

/** Returns 'Chrome on Linux', or what is known of it; '' where nothing is. */
export const getDeviceName = ({ deviceType, deviceOS }: Device): string =>
  deviceType && deviceOS
    ? t('{program} on {system}', { program: deviceType, system: deviceOS })
    : deviceType || deviceOS;
