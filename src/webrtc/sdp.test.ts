import { describe, expect, test } from 'bun:test';
import { createCandidateFilter } from './candidate-networks.ts';
import {
  requireCompleteAnswer,
  withCandidates,
  withReachableCandidates,
  writeBitrateBound,
} from './sdp.ts';

const candidate = (address: string, transport = 'udp') =>
  `a=candidate:3077952869 1 ${transport} 2122265343 ${address} 34401 typ host generation 0`;
const toSdp = (lines: readonly string[]) => [...lines, ''].join('\r\n');

const SESSION = ['v=0', 'o=- 1 2 IN IP4 127.0.0.1', 's=-', 't=0 0', 'a=msid-semantic: WMS'];
const fingerprint = `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => 'AF').join(':')}`;
const OFFER = toSdp([
  ...SESSION,
  'm=video 34401 UDP/TLS/RTP/SAVPF 96 97',
  'c=IN IP4 192.0.2.2',
  'a=mid:0',
  'a=sendonly',
]);
/** As Chromium writes it: trickle is named although it is complete. */
const ANSWER = [
  ...SESSION,
  'm=video 9 UDP/TLS/RTP/SAVPF 96',
  'c=IN IP4 0.0.0.0',
  candidate('4b2d0a1e-0f52-4c0f-9f5e-0f1f6b8f4a11.local'),
  'a=ice-ufrag:lXlc',
  'a=ice-pwd:lPKjdZcYppfwGtv/Tcy3bSD8',
  'a=ice-options:trickle',
  fingerprint,
  'a=setup:active',
  'a=mid:0',
  'a=recvonly',
  'a=rtpmap:96 VP8/90000',
];
const without = (start: string) => ANSWER.filter((line) => !line.startsWith(start));
const replace = (from: string, to: string) =>
  ANSWER.map((line) => (line.startsWith(from) ? to : line));
const check = (lines: readonly string[]) => () => requireCompleteAnswer(toSdp(lines), OFFER);

describe('an answer', () => {
  test('of Chromium is accepted, with an mDNS name, an address, or no candidate at all', () => {
    expect(check(ANSWER)).not.toThrow();
    expect(check(replace('a=candidate', candidate('fd00::2')))).not.toThrow();
    expect(check(replace('a=candidate', 'a=end-of-candidates'))).not.toThrow();
  });

  test.each([
    ['not SDP', ['hello']],
    ['a NUL', [...ANSWER, 'a=x:\0']],
    ['neither a candidate nor the end of them', without('a=candidate')],
    ['no video', SESSION],
    ['a second video', [...ANSWER, 'm=video 9 UDP/TLS/RTP/SAVPF 96', 'a=recvonly']],
    ['audio', [...ANSWER, 'm=audio 9 UDP/TLS/RTP/SAVPF 111']],
    ['a data channel', [...ANSWER, 'm=application 9 UDP/DTLS/SCTP webrtc-datachannel']],
    ['only a data channel', replace('m=', 'm=application 9 UDP/DTLS/SCTP webrtc-datachannel')],
    ['a refused video', replace('m=', 'm=video 0 UDP/TLS/RTP/SAVPF 96')],
    ['a format that was not offered', replace('m=', 'm=video 9 UDP/TLS/RTP/SAVPF 96 98')],
    ['sendrecv', replace('a=recvonly', 'a=sendrecv')],
    ['sendonly', replace('a=recvonly', 'a=sendonly')],
    ['inactive', replace('a=recvonly', 'a=inactive')],
    ['no direction, which is sendrecv', without('a=recvonly')],
    ['two directions', [...ANSWER, 'a=recvonly']],
    ['a source of its own', [...ANSWER, 'a=ssrc:1 cname:x']],
    ['a stream of its own', [...ANSWER, 'a=msid:- track']],
    ['no ice-ufrag', without('a=ice-ufrag')],
    ['a short ice-pwd', replace('a=ice-pwd', 'a=ice-pwd:abc')],
    ['no fingerprint', without('a=fingerprint')],
    ['a weak fingerprint', replace('a=fingerprint', 'a=fingerprint:sha-1 AF:AF')],
    ['actpass', replace('a=setup', 'a=setup:actpass')],
    ['another mid', replace('a=mid', 'a=mid:1')],
    ['a malformed candidate', replace('a=candidate', 'a=candidate:x')],
    ['endless candidates', [...ANSWER, ...Array.from({ length: 64 }, () => candidate('fd00::2'))]],
  ])('with %s is refused', (_, lines) => {
    expect(check(lines)).toThrow(/^Must/);
  });
});

test('the bound replaces what the client asks for, behind the connection line', () => {
  const greedy = [...SESSION, 'b=AS:90000', ...ANSWER.slice(SESSION.length), 'b=TIAS:90000000'];
  const lines = writeBitrateBound(toSdp(greedy), 1200).split('\r\n');
  expect(lines.filter((line) => line.startsWith('b='))).toEqual(['b=AS:1200', 'b=TIAS:1200000']);
  expect(lines.slice(lines.indexOf('c=IN IP4 0.0.0.0') + 1)[0]).toBe('b=AS:1200');
  expect(lines.filter((line) => !line.startsWith('b='))).toEqual([...ANSWER, '']);
});

describe('the candidates of an answer', () => {
  const hidden = '4b2d0a1e-0f52-4c0f-9f5e-0f1f6b8f4a11.local';
  const list = (caller: string | undefined, ...addresses: string[]) =>
    withCandidates(
      toSdp([...without('a=candidate'), ...addresses.map((address) => candidate(address))]),
      createCandidateFilter(caller),
    )
      .split('\r\n')
      .flatMap((line) => (line.startsWith('a=candidate') ? [line.split(' ')[4]] : []));

  test.each([
    ['192.168.1.7', ['192.168.1.7', '192.168.1.9', hidden], ['192.168.2.7', '10.0.0.1', 'fd00::2']],
    ['8.8.8.7', ['8.8.8.7', hidden], ['8.8.8.8', '192.168.1.7', '2a00:1450::1']],
    ['2a00:1450:1:2::7', ['2a00:1450:1:2::9', hidden], ['2a00:1450:1:3::7', '8.8.8.7']],
    ['127.0.0.1', [hidden], ['8.8.8.7']],
    [undefined, [hidden], ['8.8.8.7']],
  ])('of a caller at %s are of its network, or hidden', (caller, allowed, others) => {
    const never = [
      '127.0.0.1',
      '::1',
      '169.254.169.254',
      'fe80::1',
      '0.0.0.0',
      '::ffff:127.0.0.1',
      '::7f00:1',
      '::127.0.0.1',
      '64:ff9b::7f00:1',
    ];
    const names = ['nas.local', 'database', 'metadata.google.internal', `${hidden}.example.com`];
    expect(list(caller, ...never, ...others, ...names, ...allowed)).toEqual(allowed);
  });

  test('are at most eight', () => {
    expect(list('8.8.4.4', ...Array<string>(40).fill('8.8.4.4'))).toHaveLength(8);
  });
});

describe('an offer', () => {
  const offer = (...candidates: string[]) =>
    withReachableCandidates(toSdp([...OFFER.trim().split('\r\n'), ...candidates]));
  const list = (sdp: string) => sdp.split('\r\n').filter((line) => line.startsWith('a=candidate'));
  const [outer, loopback, loopback6] = ['192.0.2.2', '127.0.0.1', '::1'].map((address) =>
    candidate(address),
  ) as [string, string, string];

  test('names the UDP addresses that others can reach, and that there are no more', () => {
    const sdp = offer(outer, loopback, loopback6, candidate('192.0.2.2', 'tcp'));
    expect(list(sdp)).toEqual([outer]);
    expect(sdp).toEndWith('a=end-of-candidates\r\n');
  });

  test('names those of this machine where there are no others', () => {
    expect(list(offer(loopback, loopback6))).toEqual([loopback, loopback6]);
  });

  test('without a port cannot be made', () => {
    expect(() => offer(candidate('192.0.2.2', 'tcp'))).toThrow('no UDP port is free');
  });
});
