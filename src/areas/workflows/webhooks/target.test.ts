import { expect, test } from 'bun:test';
import { post } from './deliver.domain.ts';
import { parseTarget, resolveTarget } from './target.ts';

const resolveTo =
  (...addresses: string[]) =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

/** Returns where a webhook would go, or why it would not. */
const resolve = async (text: string, hosts: string[], ...addresses: string[]) =>
  resolveTarget(parseTarget(text, hosts), hosts, resolveTo(...addresses)).then(
    (found) => found.map(({ address }) => address),
    (error: Error) => error.message,
  );

test('a listed name is reached at public addresses only', async () => {
  const hosts = ['hooks.example.com'];
  const reach = (...addresses: string[]) =>
    resolve('https://Hooks.example.com./a', hosts, ...addresses);
  expect(await reach('8.8.8.8', '10.0.0.1')).toEqual(['8.8.8.8']);
  for (const address of [
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '255.255.255.255',
    '224.0.0.1',
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    '::ffff:10.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '::7f00:1',
    '::127.0.0.1',
    '::ffff:0:7f00:1',
    '64:ff9b:1::7f00:1',
    '2001:0:1::',
    '2a00::5efe:7f00:1',
    '0.1.2.3',
    'fe80::1%eth0',
  ]) {
    expect([address, await reach(address)]).toEqual([
      address,
      `hooks.example.com is ${address}, a private address that the administrator has not listed`,
    ]);
  }
  expect(await reach()).toBe('The host hooks.example.com was not found');
});

test('a listed name is reached at a private address that is listed too, also by http', async () => {
  const hosts = ['nas.lan', '192.168.1.0/24', 'fd00::5'];
  expect(await resolve('http://nas.lan:8123/', hosts, '192.168.1.9', '10.0.0.1')).toEqual([
    '192.168.1.9',
  ]);
  expect(await resolve('https://nas.lan/', hosts, 'fd00::5')).toEqual(['fd00::5']);
  expect(await resolve('http://nas.lan/', hosts, '::ffff:192.168.1.9')).toEqual([
    '::ffff:192.168.1.9',
  ]);
  expect(await resolve('http://nas.lan/', hosts, '8.8.8.8')).toContain('use https');
  expect(await resolve('http://nas.lan/', hosts, '192.168.2.9')).toContain('has not listed');
  // An address in a listed network is not a listed name.
  expect(() => parseTarget('http://other.lan/', hosts)).toThrow('has not listed other.lan');
});

test('the connection goes to the address that was checked, whatever the name resolves to', async () => {
  const hosts: (string | null)[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => {
      hosts.push(request.headers.get('host'));
      return new Response(null, { status: 202 });
    },
  });
  const send = (name: string, address: string) =>
    post({
      url: new URL(`http://${name}:${server.port}/`),
      addresses: [{ address, family: 4 }],
      headers: {},
      body: '{}',
      signal: new AbortController().signal,
    });
  expect(await send('rebound.invalid', '127.0.0.1')).toMatchObject({ status: 202 });
  expect(hosts).toEqual([`rebound.invalid:${server.port}`]);
  // This name would lead to the server.
  await expect(send('localhost', '127.0.0.2')).rejects.toThrow('ECONNREFUSED');
  expect(hosts).toHaveLength(1);
  await server.stop(true);
});
