import { afterEach, beforeEach, expect, test } from 'bun:test';
import { dlopen, ptr } from 'bun:ffi';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../test/support/until.ts';
import { openServiceManager, toSocketAddress } from './service-manager.ts';

const { socket, bind, recv, close } = dlopen('libc.so.6', {
  socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
  bind: { args: ['i32', 'ptr', 'u32'], returns: 'i32' },
  recv: { args: ['i32', 'ptr', 'u64', 'i32'], returns: 'i64' },
  close: { args: ['i32'], returns: 'i32' },
}).symbols;

let folder: string;
let listener: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'service-manager-test-'));
  listener = socket(1, 2, 0);
});
afterEach(() => {
  close(listener);
  rmSync(folder, { recursive: true });
});

function listenOn(address: string): void {
  const name = toSocketAddress(address);
  expect(bind(listener, ptr(name), name.length)).toBe(0);
}

const MSG_DONTWAIT = 0x40;

function receive(): string | undefined {
  const bytes = Buffer.alloc(1024);
  const length = Number(recv(listener, ptr(bytes), bytes.length, MSG_DONTWAIT));
  return length < 0 ? undefined : bytes.toString('utf8', 0, length);
}

test('notifies the manager at a path, and hides it from children', () => {
  const address = join(folder, 'notify');
  listenOn(address);
  const env = { NOTIFY_SOCKET: address, WATCHDOG_USEC: '1', PATH: '/bin' };
  openServiceManager(env).notify({ READY: 1, STATUS: 'Serving at http://nas:2283' });
  expect(receive()).toBe('READY=1\nSTATUS=Serving at http://nas:2283\n');
  expect(env).toEqual({ PATH: '/bin' } as never);
});

test('notifies the manager at an abstract name', () => {
  const address = `@${folder}`;
  listenOn(address);
  openServiceManager({ NOTIFY_SOCKET: address }).notify({ STOPPING: 1 });
  expect(receive()).toBe('STOPPING=1\n');
});

test('throws when the manager cannot be reached', () => {
  const manager = openServiceManager({ NOTIFY_SOCKET: join(folder, 'nobody') });
  expect(() => manager.notify({ READY: 1 })).toThrow('Cannot notify');
});

test('does nothing without a manager, nor for the watchdog of another process', () => {
  openServiceManager({}).notify({ READY: 1 });
  const address = join(folder, 'notify');
  listenOn(address);
  openServiceManager({
    NOTIFY_SOCKET: address,
    WATCHDOG_USEC: '1000',
    WATCHDOG_PID: '1',
  }).startWatchdog();
  expect(receive()).toBeUndefined();
});

test('keeps the watchdog quiet again and again', async () => {
  const address = join(folder, 'notify');
  listenOn(address);
  const manager = openServiceManager({ NOTIFY_SOCKET: address, WATCHDOG_USEC: '2000' });
  const stop = manager.startWatchdog();
  let count = 0;
  await until(() => {
    if (receive() === 'WATCHDOG=1\n') count += 1;
    return count === 3;
  });
  stop();
});

test('a manager that does not read stops nothing', async () => {
  const address = join(folder, 'notify');
  listenOn(address);
  const stop = openServiceManager({
    NOTIFY_SOCKET: address,
    WATCHDOG_USEC: '2000',
  }).startWatchdog();
  // Far more than a socket keeps.
  await Bun.sleep(200);
  stop();
  expect(receive()).toBe('WATCHDOG=1\n');
});

test('takes the sockets that were passed to this process, and not those of another', () => {
  const variables = { LISTEN_FDS: '1', LISTEN_FDNAMES: 'listen-1' };
  const env = { ...variables, LISTEN_PID: String(process.pid), PATH: '/bin' };
  expect([...openServiceManager({ ...variables, LISTEN_PID: '1' }).sockets]).toEqual([]);
  expect([...openServiceManager(env).sockets]).toEqual([['listen-1', 3]]);
  expect(env).toEqual({ PATH: '/bin' } as never);
});

test('leaves a socket with the manager', () => {
  const address = join(folder, 'notify');
  listenOn(address);
  const manager = openServiceManager({ NOTIFY_SOCKET: address });
  manager.keepSocket('listen-1', listener);
  expect(receive()).toBe('FDSTORE=1\nFDNAME=listen-1\nFDPOLL=0\n');
  manager.dropSocket('listen-1');
  expect(receive()).toBe('FDSTOREREMOVE=1\nFDNAME=listen-1\n');
});
