import { dlopen, ptr } from 'bun:ffi';

// Reports the state of the server to systemd, which also keeps its listening socket while it starts again:
// sd_notify(3), sd_watchdog_enabled(3), sd_listen_fds(3), FileDescriptorStoreMax in systemd.service(5).

/** Fields of a notification, as READY: 1; no value holds a line break. */
export type ServiceState = Readonly<Record<string, string | number>>;

export type ServiceManager = {
  /** Throws when the socket is there and cannot be reached. */
  notify(state: ServiceState): void;
  /**
   * Sends WATCHDOG=1 twice in the interval of WATCHDOG_USEC, for as long as the event loop turns. Returns a
   * function that ends it.
   */
  startWatchdog(): () => void;
  /** Leaves a copy of the socket with the manager, which passes it to the next process of the service. */
  keepSocket(name: string, fd: number): void;
  dropSocket(name: string): void;
  /** File descriptors by name that the process has been passed; children do not inherit them. */
  readonly sockets: ReadonlyMap<string, number>;
};

type Environment = Record<string, string | undefined>;

/**
 * Returns the service manager that has started this process; all calls do nothing where there is none. The
 * variables are removed: children are not the service, and PostgreSQL would report itself as ready.
 */
export function openServiceManager(env: Environment = process.env): ServiceManager {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: interval, WATCHDOG_PID: pid } = env;
  const sockets = takeSockets(env);
  for (const name of VARIABLES) delete env[name];
  const notify = (state: ServiceState, flags = 0, fd?: number) => {
    if (socket) sendDatagram(socket, formatState(state), flags, fd);
  };
  return {
    notify: (state) => notify(state),
    startWatchdog() {
      if (!interval || (pid && Number(pid) !== process.pid)) return () => {};
      const period = Number(interval) / 2000;
      const timer = setInterval(() => {
        try {
          // A manager that does not read stops nobody from being served.
          notify({ WATCHDOG: 1 }, MSG_DONTWAIT);
        } catch {
          // The next one may arrive.
        }
      }, period);
      timer.unref();
      return () => clearInterval(timer);
    },
    keepSocket: (name, fd) => notify({ FDSTORE: 1, FDNAME: name, FDPOLL: 0 }, 0, fd),
    dropSocket: (name) => notify({ FDSTOREREMOVE: 1, FDNAME: name }),
    sockets,
  };
}

const VARIABLES = [
  'NOTIFY_SOCKET',
  'WATCHDOG_USEC',
  'WATCHDOG_PID',
  'LISTEN_FDS',
  'LISTEN_PID',
  'LISTEN_FDNAMES',
];

const FIRST_FD = 3;
const F_SETFD = 2;
const FD_CLOEXEC = 1;

function takeSockets(env: Environment): Map<string, number> {
  const { LISTEN_FDS: count, LISTEN_PID: pid, LISTEN_FDNAMES: names = '' } = env;
  if (!count || Number(pid) !== process.pid) return new Map();
  const libc = dlopen('libc.so.6', {
    fcntl: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
  });
  const all = names.split(':');
  const sockets = Array.from({ length: Number(count) }, (_, at) => {
    libc.symbols.fcntl(FIRST_FD + at, F_SETFD, FD_CLOEXEC);
    return [all[at] ?? 'unknown', FIRST_FD + at] as const;
  });
  libc.close();
  return new Map(sockets);
}

const formatState = (state: ServiceState): string =>
  Object.entries(state)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2000000;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;

/**
 * Sends to a path or, if it begins with @, to an abstract name, with a copy of a file descriptor if there is one
 * (unix(7), SCM_RIGHTS). Bun has no Unix datagrams.
 */
function sendDatagram(address: string, text: string, flags: number, fd?: number): void {
  const libc = dlopen('libc.so.6', {
    socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    sendmsg: { args: ['i32', 'ptr', 'i32'], returns: 'i64' },
    close: { args: ['i32'], returns: 'i32' },
  });
  const { socket, sendmsg, close } = libc.symbols;
  try {
    const to = toSocketAddress(address);
    const bytes = Buffer.from(text);
    const vector = toWords(BigInt(ptr(bytes)), BigInt(bytes.length));
    const rights = fd === undefined ? Buffer.alloc(0) : toRights(fd);
    const message = toWords(
      BigInt(ptr(to)),
      BigInt(to.length),
      BigInt(ptr(vector)),
      1n,
      rights.length > 0 ? BigInt(ptr(rights)) : 0n,
      BigInt(rights.length),
      0n,
    );
    const from = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const sent = sendmsg(from, ptr(message), flags | MSG_NOSIGNAL);
    close(from);
    if (Number(sent) !== bytes.length) throw new Error(`Cannot notify ${address}`);
  } finally {
    libc.close();
  }
}

/** Returns words of 64 bits, as the members of a struct iovec or, with its padding, of a struct msghdr. */
function toWords(...values: readonly bigint[]): Buffer {
  const words = Buffer.alloc(8 * values.length);
  for (const [at, value] of values.entries()) words.writeBigUInt64LE(value, 8 * at);
  return words;
}

const SOL_SOCKET = 1;
const SCM_RIGHTS = 1;

/** Returns a struct cmsghdr with one file descriptor and the padding after it. */
function toRights(fd: number): Buffer {
  const message = Buffer.alloc(24);
  message.writeBigUInt64LE(20n);
  message.writeInt32LE(SOL_SOCKET, 8);
  message.writeInt32LE(SCM_RIGHTS, 12);
  message.writeInt32LE(fd, 16);
  return message;
}

/** Returns a struct sockaddr_un (unix(7)). A path ends with a zero; an abstract name has one in place of its @. */
export function toSocketAddress(address: string): Buffer {
  const name = address.startsWith('@') ? `\0${address.slice(1)}` : `${address}\0`;
  const family = Buffer.alloc(2);
  family.writeUInt16LE(AF_UNIX);
  return Buffer.concat([family, Buffer.from(name)]);
}
