import type { Device } from '../sessions/index.ts';

/** First match wins: Edge and Opera also call themselves Chrome, and Chrome calls itself Safari. */
const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
];

const SYSTEMS: readonly [RegExp, string][] = [
  [/\b(?:iPhone|iPad|iPod|iOS)\b/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh|Darwin/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/Linux/, 'Linux'],
];

/** Returns the device shown in the list of sessions: from the app's headers, else from the user agent. */
export function readDevice(headers: Headers): Device {
  const agent = headers.get('user-agent') ?? '';
  const first = (rules: readonly [RegExp, string][]) =>
    rules.find(([pattern]) => pattern.test(agent))?.[1];
  const app = /^Immich_(Android|iOS|Unknown)_([\w.+-]{1,40})$/i.exec(agent);
  return {
    deviceType: short(headers.get('devicemodel') ?? first(BROWSERS) ?? ''),
    deviceOs: short(headers.get('devicetype') ?? app?.[1] ?? first(SYSTEMS) ?? ''),
    appVersion: app?.[2] ?? null,
  };
}

const short = (text: string) => text.trim().slice(0, 100);

/** A random text that a browser made once and keeps; too short to be random is none. */
export function readDeviceToken(headers: Headers): string | undefined {
  const token = headers.get('x-safelight-device');
  return token && /^[\w-]{32,128}$/.test(token) ? token : undefined;
}
