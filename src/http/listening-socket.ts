import { dlopen, ptr } from 'bun:ffi';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { arch } from 'node:process';
import { Failure } from '../core/command-line.ts';

// The listening socket of a server of Bun, which neither tells its file descriptor nor takes one: `listen({ fd })`
// of node:http never answers, Bun.serve ignores it (1.4.4).

const openLibc = () =>
  dlopen('libc.so.6', {
    getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
    getsockname: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
    fcntl: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    dup3: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    epoll_ctl: { args: ['i32', 'i32', 'i32', 'ptr'], returns: 'i32' },
  });
type Libc = ReturnType<typeof openLibc>['symbols'];

function withLibc<T>(work: (calls: Libc) => T): T {
  const libc = openLibc();
  try {
    return work(libc.symbols);
  } finally {
    libc.close();
  }
}

const O_CLOEXEC = 0o2000000;
const O_NONBLOCK = 0o4000;
const F_GETFL = 3;
const F_SETFL = 4;
const EPOLL_CTL_ADD = 1;

/** Returns the file descriptor that listens on the TCP port in this process. Throws Failure. */
export const findListeningSocket = (port: number): number =>
  withLibc((libc) => {
    const found = listDescriptors('socket:').find((fd) => getListeningPort(libc, fd) === port);
    if (found === undefined) throw new Failure(`No socket of this process listens on port ${port}`);
    return found;
  });

/**
 * Lets a server of Bun accept connections from another listening socket than its own, which is closed: the
 * socket takes its file descriptor, and its place in the event loop. It stays open where it came from.
 */
export function replaceListeningSocket(port: number, socket: number): void {
  const own = findListeningSocket(port);
  const { loop, events, data } = findRegistration(own);
  withLibc(({ dup3, epoll_ctl, fcntl }) => {
    // The next statements must not be interrupted by the event loop: they do not wait.
    fcntl(socket, F_SETFL, fcntl(socket, F_GETFL, 0) | O_NONBLOCK);
    const isReplaced =
      dup3(socket, own, O_CLOEXEC) === own &&
      epoll_ctl(loop, EPOLL_CTL_ADD, own, ptr(toEpollEvent(events, data))) === 0;
    if (!isReplaced) throw new Failure('The listening socket of before cannot be used');
  });
}

const F_DUPFD_CLOEXEC = 1030;

/** Returns another file descriptor of the socket that listens on the port, which stays open without its server. */
export const copyListeningSocket = (port: number): number =>
  withLibc(({ fcntl }) => fcntl(findListeningSocket(port), F_DUPFD_CLOEXEC, 0));

/** Returns the TCP port that the socket listens on. Throws Failure. */
export function getPort(socket: number): number {
  const port = withLibc((libc) => getListeningPort(libc, socket));
  if (port === undefined) throw new Failure('The socket that was passed on does not listen');
  return port;
}

const SOL_SOCKET = 1;
const SO_ACCEPTCONN = 30;
const [AF_INET, AF_INET6] = [2, 10];

function getListeningPort(libc: Libc, fd: number): number | undefined {
  const [value, length] = [new Int32Array(1), Uint32Array.of(4)];
  libc.getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, ptr(value), ptr(length));
  if (value[0] !== 1) return undefined;
  const address = Buffer.alloc(128);
  libc.getsockname(fd, ptr(address), ptr(Uint32Array.of(address.length)));
  const family = address.readUInt16LE(0);
  return family === AF_INET || family === AF_INET6 ? address.readUInt16BE(2) : undefined;
}

/** Lists the file descriptors of this process that are of a kind. */
const listDescriptors = (kind: string): number[] =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(kind) ? [Number(fd)] : [];
    } catch {
      return [];
    }
  });

type Registration = { readonly loop: number; readonly events: number; readonly data: bigint };

/** Returns how an event loop waits for the file descriptor: proc(5), fdinfo of epoll. */
function findRegistration(fd: number): Registration {
  const line = new RegExp(`^tfd:\\s+${fd} events:\\s+([\\da-f]+) data:\\s+([\\da-f]+)`, 'm');
  for (const loop of listDescriptors('anon_inode:[eventpoll]')) {
    const [, events, data] = line.exec(readFileSync(`/proc/self/fdinfo/${loop}`, 'utf8')) ?? [];
    if (events === undefined) continue;
    return { loop, events: Number.parseInt(events, 16), data: BigInt(`0x${data}`) };
  }
  throw new Failure('No event loop waits for the listening socket');
}

/** Returns a struct epoll_event, which is packed on x86-64 only. */
function toEpollEvent(events: number, data: bigint): Buffer {
  const at = arch === 'x64' ? 4 : 8;
  const event = Buffer.alloc(at + 8);
  event.writeUInt32LE(events);
  event.writeBigUInt64LE(data, at);
  return event;
}
