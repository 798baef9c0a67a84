import { expect, test } from 'bun:test';
import { isLive, type LiveEvent, onLiveEvent, handlePacket } from './live.ts';

test('a server is greeted, its pings are answered, its events are passed on', () => {
  expect(handlePacket('0{"sid":"a","upgrades":[],"pingInterval":25000,"pingTimeout":20000}')).toBe(
    '40',
  );
  expect(isLive.get()).toBe(false);
  expect(handlePacket('40{"sid":"b"}')).toBeUndefined();
  // Strangers and clients in maintenance mode come so far.
  handlePacket('42["MaintenanceStatusV1",{"active":true,"action":"start"}]');
  expect(isLive.get()).toBe(false);
  handlePacket('42["on_server_version",{"major":3}]');
  expect(isLive.get()).toBe(true);
  const heard: LiveEvent[] = [];
  const stop = onLiveEvent((event) => heard.push(event));
  expect(handlePacket('2')).toBe('3');
  expect(handlePacket('42["on_asset_trash",["x","y"]]')).toBeUndefined();
  expect(handlePacket('42["on_library_update"]')).toBeUndefined();
  stop();
  handlePacket('42["on_config_update"]');
  expect(heard).toEqual([
    { name: 'on_asset_trash', args: [['x', 'y']] },
    { name: 'on_library_update', args: [] },
  ]);
});
