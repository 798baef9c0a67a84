import { describe, expect, test } from 'bun:test';
import { isAllowedAddress, listOwnAddresses } from './address.ts';
import { createPinnedFetch } from './client.ts';

const OWN = ['192.168.1.2', 'fd00::2', '10.0.0.9'];
const reach = (address: string) =>
  [false, true].map((isAdmin) => isAllowedAddress(address, { isAdmin, own: OWN }));

describe('an account may name', () => {
  test.each([
    '8.8.8.8',
    '192.168.1.9',
    '10.1.2.3',
    '172.16.0.1',
    '100.64.1.1',
    'fd00::5',
    '2a00::1',
  ])('%s, of the internet or a private network', (address) =>
    expect(reach(address)).toEqual([true, true]),
  );

  test.each([...OWN, '::ffff:192.168.1.2', '127.0.0.1', '127.9.9.9', '::1', '::ffff:7f00:1'])(
    '%s, of this machine or its database, as an administrator only',
    (address) => expect(reach(address)).toEqual([false, true]),
  );

  test.each([
    '0.0.0.0',
    '::',
    '169.254.169.254',
    '169.254.1.1',
    '::ffff:169.254.169.254',
    'fe80::1',
    'fd00:ec2::254',
    '100.100.100.200',
    '168.63.129.16',
    '224.0.0.1',
    'ff02::1',
    '255.255.255.255',
    '240.0.0.1',
    '192.0.0.192',
    '0.1.2.3',
    '::127.0.0.1',
    '::7f00:1',
    '::a9fe:a9fe',
    '::ffff:0:7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::7f00:1',
    '2002:7f00:1::',
    '2001:0:1::',
    '2a00::5efe:7f00:1',
    'fd00::200:5efe:7f00:1',
    'fec0::1',
    '4000::1',
    'fe80::1%eth0',
    'fd00::5%eth0',
    '::1%lo',
    '2130706433',
    '0177.0.0.1',
    'nas',
  ])('%s never', (address) => expect(reach(address)).toEqual([false, false]));
});

test('the addresses of this machine and of its database are its own', async () => {
  const own = await listOwnAddresses(
    { databaseUrl: 'postgres://u@db.lan:1,/run/postgresql/x?sslmode=disable' },
    async (host) => (host === 'db.lan' ? ['10.9.8.7'] : []),
  );
  expect(own).toContain('10.9.8.7');
  expect(own).toContain('127.0.0.1');
});

describe('a request', () => {
  const open = (addresses: readonly string[], isAdmin = true) =>
    createPinnedFetch({
      settings: { databaseUrl: undefined },
      isAdmin,
      resolve: async () => addresses,
    });

  test('goes to the address that was checked, with the name of the host', async () => {
    const hosts: (string | null)[] = [];
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch(request) {
        hosts.push(request.headers.get('host'));
        return new Response('yes');
      },
    });
    const url = `http://nas.invalid:${server.port}/api`;
    // Nothing listens at the first.
    expect(await (await open(['127.0.0.2', '127.0.0.1'])(url, {})).text()).toBe('yes');
    expect(hosts).toEqual([`nas.invalid:${server.port}`]);
    await expect(open(['127.0.0.1'], false)(url, {})).rejects.toThrow('does not connect to');
    await expect(open(['169.254.169.254', '::'])(url, {})).rejects.toThrow('does not connect to');
    expect(hosts).toHaveLength(1);
    await server.stop(true);
  });

  test('to a host that is not found fails', async () => {
    await expect(open([])('http://nas.invalid/', {})).rejects.toThrow('not found');
  });

  test('to a number in any spelling is one to its address', async () => {
    for (const host of [
      '2130706433',
      '0x7f.1',
      '0177.0.0.1',
      '127.1',
      '[::ffff:127.0.0.1]',
      '[::127.0.0.1]',
      '[64:ff9b::127.0.0.1]',
      'localhost',
      'localhost.',
    ]) {
      const send = createPinnedFetch({ settings: { databaseUrl: undefined }, isAdmin: false });
      await expect(send(`http://${host}:1/`, {})).rejects.toThrow('does not connect to');
    }
  });
});
