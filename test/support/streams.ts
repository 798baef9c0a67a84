import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { listProcessTree } from '../../src/core/process-memory.ts';
import { type Caller, call, type Reply, type TestUser } from './harness.ts';
import type { Studio } from './studio.ts';
import { until } from './until.ts';
import { readCommandLine } from './processes.ts';

const viewport = { width: 320, height: 192 };

export type StreamClient = ReturnType<typeof createStreamClient>;

/** A client of preview streams that calls as `caller`, and asks again while an offer is being made. */
export function createStreamClient({ app }: Pick<Studio, 'app'>, caller: Caller) {
  const path = '/studio/preview-streams';
  const get = (id: string): Promise<Reply> => call(app, `GET ${path}/${id}`, caller);
  const waitForOffer = async (reply: Reply): Promise<Reply> => {
    let { body } = reply;
    if (reply.status < 300)
      await until(async () => {
        if (body.state === 'starting') ({ body } = await get(body.id));
        return body.state !== 'starting';
      });
    return { ...reply, body };
  };
  return {
    get,
    open: async (projectId: string, over: object = {}): Promise<Reply> =>
      waitForOffer(
        await call(app, `POST ${path}`, {
          ...caller,
          body: { projectId, revision: 1, viewport, ...over },
        }),
      ),
    answer: (id: string, sdp: string, over: object = {}): Promise<Reply> =>
      call(app, `PUT ${path}/${id}/answer`, { ...caller, body: { type: 'answer', sdp, ...over } }),
    move: (id: string, over: object = {}): Promise<Reply> =>
      call(app, `PUT ${path}/${id}/position`, {
        ...caller,
        body: { time: { numerator: 0, denominator: 1 }, isPlaying: true, ...over },
      }),
    reconnect: async (id: string): Promise<Reply> =>
      waitForOffer(await call(app, `POST ${path}/${id}/reconnect`, caller)),
    close: (id: string): Promise<Reply> => call(app, `DELETE ${path}/${id}`, caller),
  };
}

/**
 * A project that shows the clip `short.mp4`, two seconds that move, for a minute or so many seconds: a new item, or that
 * of another film.
 */
export async function makeShortFilm(
  studio: Studio,
  owner: TestUser,
  {
    known,
    seconds,
  }: { readonly known?: string | undefined; readonly seconds?: number | undefined } = {},
) {
  const assetId = known ?? (await studio.add(owner, 'short.mp4'));
  return { ...(await studio.makeProject(owner, [assetId], seconds)), assetId };
}

/** An answer to any first offer, of a browser that nobody can reach. */
export const LONELY_ANSWER = [
  'v=0',
  'o=- 1 2 IN IP4 127.0.0.1',
  's=-',
  't=0 0',
  'a=group:BUNDLE 0',
  'm=video 9 UDP/TLS/RTP/SAVPF 96',
  'c=IN IP4 0.0.0.0',
  'a=ice-ufrag:lXlc',
  'a=ice-pwd:lPKjdZcYppfwGtv/Tcy3bSD8',
  `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => 'AF').join(':')}`,
  'a=setup:active',
  'a=mid:0',
  'a=recvonly',
  'a=rtcp-mux',
  'a=rtpmap:96 VP8/90000',
  'a=end-of-candidates',
  '',
].join('\r\n');

/** Returns the processes below `root` that send streams, and those that make their pictures. */
export function listStreamProcesses(root: number): { children: number[]; ffmpeg: number[] } {
  const named = listProcessTree(root)
    .filter((pid) => pid !== root)
    .map((pid) => ({ pid, command: readCommandLine(pid) }));
  const select = (pattern: RegExp) =>
    named.filter(({ command }) => pattern.test(command)).map(({ pid }) => pid);
  return { children: select(/\0studio-stream\0/), ffmpeg: select(/(^|\/)ffmpeg\0.*rawvideo/) };
}

/** Returns the processes below `root` that decode and encode the sound of a film. */
export const listSoundProcesses = (root: number): number[] =>
  listProcessTree(root).filter((pid) => /(^|\/)ffmpeg\0.*s16le/.test(readCommandLine(pid)));

/** Returns the processes below `root` that write the segments of a video; of all, or of the file at a path. */
export const listVideoProcesses = (root: number, path = ''): number[] =>
  listProcessTree(root).filter((pid) => {
    const command = readCommandLine(pid);
    return /(^|\/)ffmpeg\0.*\0pipe:1\0/.test(command) && command.includes(path);
  });

/** Returns the open files of a process that are in this folder, with or without a name. */
export const listOpenFiles = (pid: number, folder: string): string[] =>
  readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/${pid}/fd/${fd}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return [];
    }
  });

export const countDescriptors = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** Returns the UDP ports of this machine that are in use. */
export const listUdpPorts = (): number[] =>
  ['udp', 'udp6'].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, 'utf8')
      .split('\n')
      .flatMap((line) => /^\s*\d+: \w+:(\w+) /.exec(line)?.[1] ?? [])
      .map((port) => parseInt(port, 16)),
  );

/** Returns the protocols of the sockets by which a process reaches the network. */
export function listSockets(pid: number): string[] {
  const inodes = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1];
    } catch {
      return undefined;
    }
  });
  return ['tcp', 'udp', 'raw', 'packet'].filter((protocol) =>
    [protocol, `${protocol}6`].some(
      (table) =>
        existsSync(`/proc/${pid}/net/${table}`) &&
        readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
          .split('\n')
          .some((line) => line.split(/\s+/).some((word) => inodes.includes(word))),
    ),
  );
}
