import { requireValue } from '../core/required.ts';

// Session descriptions (RFC 8866) of one video that is sent: our offer, and a browser's answer to it.

/** Lines of the only media section, and those before it. */
type Description = { readonly session: readonly string[]; readonly media: readonly string[] };

const LINE = /^[a-z]=[^\0]*$/;

/** Throws an Error that names what is wrong. */
function parse(sdp: string): Description {
  const lines = sdp.split(/\r?\n/).filter((line) => line !== '');
  if (lines[0] !== 'v=0' || !lines.every((line) => LINE.test(line)))
    throw new Error('Must be a session description');
  const starts = lines.flatMap((line, index) => (line.startsWith('m=') ? [index] : []));
  if (starts.length !== 1) throw new Error('Must have one media section, for the video');
  return { session: lines.slice(0, starts[0]), media: lines.slice(starts[0]) };
}

const serialize = ({ session, media }: Description): string =>
  [...session, ...media, ''].join('\r\n');

const findValues = (lines: readonly string[], name: string): string[] =>
  lines.flatMap((line) => (line.startsWith(`a=${name}:`) ? [line.slice(name.length + 3)] : []));

const DIRECTION = /^a=(sendrecv|sendonly|recvonly|inactive)$/;
const MEDIA = /^m=video (\d{1,5}) UDP\/TLS\/RTP\/SAVPF((?: \d{1,3})+)$/;
const FINGERPRINT = /^sha-256 [0-9a-f]{2}(?::[0-9a-f]{2}){31}$/i;
const MAX_CANDIDATES = 64;

/** Attributes that an answer has once, in the section or before it. */
const SINGLE: readonly (readonly [string, RegExp])[] = [
  ['ice-ufrag', /^[\w+/]{4,256}$/],
  ['ice-pwd', /^[\w+/]{22,256}$/],
  ['fingerprint', FINGERPRINT],
  ['setup', /^(active|passive)$/],
];

/** Throws an Error that names what is wrong, unless `sdp` is a complete answer that only receives the video. */
export function requireCompleteAnswer(sdp: string, offer: string): void {
  const { session, media } = parse(sdp);
  const all = [...session, ...media];
  const asked = parse(offer).media;
  const [, port, payloads] = parseMedia(media);
  if (!payloads) throw new Error('Must receive a video by RTP');
  if (Number(port) === 0) throw new Error('Must accept the video');
  const offered = getPayloads(requireValue(parseMedia(asked)[2], 'format in the offer'));
  if (!getPayloads(payloads).every((payload) => offered.includes(payload)))
    throw new Error('Must use the formats that were offered');
  const directions = all.filter((line) => DIRECTION.test(line));
  if (directions.length !== 1 || directions[0] !== 'a=recvonly')
    throw new Error('Must be recvonly: nothing may be sent');
  if (findValues(media, 'ssrc').length > 0 || findValues(media, 'msid').length > 0)
    throw new Error('Must not name media of its own');
  for (const [name, pattern] of SINGLE) {
    const [value, ...others] = findValues(all, name);
    if (value === undefined || others.length > 0 || !pattern.test(value))
      throw new Error(`Must have one ${name}`);
  }
  if (findValues(media, 'mid').join() !== findValues(asked, 'mid').join())
    throw new Error('Must have the mid of the offer');
  requireCandidates(all);
}

/** Returns the groups of the first line of a media section; none if it is no video by RTP. */
const parseMedia = ([line = '']: readonly string[]): readonly string[] => MEDIA.exec(line) ?? [];

const getPayloads = (text: string): string[] => text.trim().split(' ');

/** The address of a candidate may be an mDNS name: browsers hide their own. */
const CANDIDATE = /^[\w+/]{1,32} \d{1,5} \w{3,4} \d{1,10} [\w.:-]{1,255} \d{1,5} typ \w+/;

/** Without trickle (RFC 8838), all candidates are in the answer: some, or the mark that there are none. */
function requireCandidates(lines: readonly string[]): void {
  const candidates = findValues(lines, 'candidate');
  if (candidates.length === 0 && !lines.includes('a=end-of-candidates'))
    throw new Error('Must be complete: it has neither a candidate nor end-of-candidates');
  if (candidates.length > MAX_CANDIDATES || !candidates.every((line) => CANDIDATE.test(line)))
    throw new Error('Must have at most 64 candidates, each well-formed');
}

/** An address within a candidate line is its fifth word (RFC 8839 §5.1). */
const getAddress = (candidate: string): string =>
  requireValue(candidate.split(' ')[4], 'address in a candidate');

/** Candidates of an answer that are tried. */
const MAX_TRIED = 8;

/** Returns the answer with the candidates that `isAllowed`, at most eight: each is sent packets. */
export function withCandidates(sdp: string, isAllowed: (address: string) => boolean): string {
  const { session, media } = parse(sdp);
  const others = (lines: readonly string[]) =>
    lines.filter((line) => !/^a=(candidate:|end-of-candidates$)/.test(line));
  const tried = findValues([...session, ...media], 'candidate').filter((line) =>
    isAllowed(getAddress(line)),
  );
  return serialize({
    session: others(session),
    media: [
      ...others(media),
      ...tried.slice(0, MAX_TRIED).map((line) => `a=candidate:${line}`),
      'a=end-of-candidates',
    ],
  });
}

/** Returns the answer with this bound and no other (RFC 8866 §5.8, RFC 3890). */
export function writeBitrateBound(sdp: string, kbps: number): string {
  const { session, media } = parse(sdp);
  const others = media.filter((line) => !line.startsWith('b='));
  const at = others.findIndex((line) => line.startsWith('c=')) + 1 || 1;
  const bound = [`b=AS:${kbps}`, `b=TIAS:${kbps * 1000}`];
  return serialize({
    session: session.filter((line) => !line.startsWith('b=')),
    media: [...others.slice(0, at), ...bound, ...others.slice(at)],
  });
}

/** Loopback and link-local. */
const UNREACHABLE = /^(127\.|::1$|169\.254\.|fe80:)/i;

/**
 * Returns the offer with the UDP candidates that another machine can reach, or with those of this machine
 * if there are no others. Throws an Error if there is none at all.
 */
export function withReachableCandidates(sdp: string): string {
  const { session, media } = parse(sdp);
  const udp = findValues(media, 'candidate').filter((line) => line.split(' ')[2] === 'udp');
  const outer = udp.filter((line) => !UNREACHABLE.test(getAddress(line)));
  const kept = outer.length > 0 ? outer : udp;
  if (kept.length === 0) throw new Error('no UDP port is free for a stream');
  return serialize({
    session,
    media: [
      ...media.filter((line) => !/^a=(candidate:|end-of-candidates$)/.test(line)),
      ...kept.slice(0, MAX_TRIED).map((line) => `a=candidate:${line}`),
      'a=end-of-candidates',
    ],
  });
}
