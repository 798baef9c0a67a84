import { expect, test } from 'bun:test';
import { readDevice } from './device.ts';

const CASES: [string, string, string, string | null][] = [
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
    'Edge',
    'Windows',
    null,
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15',
    'Safari',
    'macOS',
    null,
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1',
    'Chrome',
    'iOS',
    null,
  ],
  [
    'Mozilla/5.0 (Linux; Android 16; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
    'Chrome',
    'Android',
    null,
  ],
  ['Immich_iOS_3.1.0', '', 'iOS', '3.1.0'],
  ['curl/8.5.0', 'curl', '', null],
  ['', '', '', null],
];
for (const [agent, deviceType, deviceOs, appVersion] of CASES) {
  test(`'${agent.slice(0, 60)}' is ${deviceType || 'unnamed'} on ${deviceOs || 'something'}`, () => {
    expect(readDevice(new Headers({ 'user-agent': agent }))).toEqual({
      deviceType,
      deviceOs,
      appVersion,
    });
  });
}
