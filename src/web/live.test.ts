import { expect, test } from 'bun:test';
import { isLive, type LiveEvent, onLiveEvent, handlePacket } from './live.ts';

test('a server is greeted, its pings are answered, its events are passed on', () => {
  const heard: LiveEvent[] = [];
  const stop = onLiveEvent((event) => heard.push(event));
  expect(handlePacket('0{"sid":"a","upgrades":[],"pingInterval":25000,"pingTimeout":20000}')).toBe(
    '40',
  );
  expect(isLive.get()).toBe(false);
  expect(handlePacket('40{"sid":"b"}')).toBeUndefined();
  expect(isLive.get()).toBe(true);
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
