import { expect, test } from 'bun:test';
import { createBlockList, isNetwork, toNetwork, parseGateways } from './network.ts';

test('the default gateways are read from the route tables of Linux', () => {
  const route = `Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t010011AC\t0003\t0\t0\t0\t00000000\t0\t0\t0
eth0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0
`;
  const ipv6 = `fd000000000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0
00000000000000000000000000000000 00 00000000000000000000000000000000 00 fd000000000000000000000000000001 00000400 00000001 00000000 00000003     eth0
00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo
`;
  expect(parseGateways(route, ipv6)).toEqual([
    '172.17.0.1',
    'fd00:0000:0000:0000:0000:0000:0000:0001',
  ]);
  expect(parseGateways('', '')).toEqual([]);
  expect(parseGateways('eth0 00000000 00000000 0001', 'rubbish')).toEqual([]);
});

test('a network is an address with or without the length of its prefix', () => {
  for (const right of [
    '10.0.0.1',
    '10.0.0.0/8',
    '0.0.0.0/0',
    '::1',
    'fc00::/7',
    '2001:db8::/128',
  ]) {
    expect([right, isNetwork(right)]).toEqual([right, true]);
    createBlockList([right]);
  }
  for (const wrong of [
    '',
    'nas',
    '10.0.0',
    '10.0.0.0/33',
    '::1/129',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
  ]) {
    expect([wrong, isNetwork(wrong)]).toEqual([wrong, false]);
  }
});

test('addresses of one IPv6 customer are one network, those of the neighbour another', () => {
  const network = '2001:db8:0:1::/64';
  for (const address of [
    '2001:db8:0:1::7',
    '2001:0db8:0000:0001:ffff:ffff:ffff:ffff',
    '2001:db8:0:1:2::',
    '2001:DB8:0:1::1%eth0',
    '2001:db8:0:1::192.0.2.1',
  ]) {
    expect([address, toNetwork(address)]).toEqual([address, network]);
  }
  expect(toNetwork('2001:db8:0:2::7')).toBe('2001:db8:0:2::/64');
  expect(toNetwork('2001:db8::')).toBe('2001:db8:0:0::/64');
  expect(toNetwork('::1')).toBe('0:0:0:0::/64');
  expect(toNetwork('fe80::1')).toBe('fe80:0:0:0::/64');
  expect(toNetwork('192.0.2.7')).toBe('192.0.2.7');
});
