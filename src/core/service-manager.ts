import { dlopen, ptr } from 'bun:ffi';

// Reports the state of the server to systemd: sd_notify(3), sd_watchdog_enabled(3).

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
};

type Environment = Record<string, string | undefined>;

/**
 * Returns the service manager that has started this process; all calls do nothing where there is none. The
 * variables are removed: children are not the service, and PostgreSQL would report itself as ready.
 */
export function openServiceManager(env: Environment = process.env): ServiceManager {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: interval, WATCHDOG_PID: pid } = env;
  for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete env[name];
  const notify = (state: ServiceState, flags = 0) => {
    if (socket) sendDatagram(socket, formatState(state), flags);
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
  };
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

/** Sends to a path or, if it begins with @, to an abstract name. Bun has no Unix datagrams. */
function sendDatagram(address: string, text: string, flags: number): void {
  const libc = dlopen('libc.so.6', {
    socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    sendto: { args: ['i32', 'ptr', 'u64', 'i32', 'ptr', 'u32'], returns: 'i64' },
    close: { args: ['i32'], returns: 'i32' },
  });
  const { socket, sendto, close } = libc.symbols;
  try {
    const to = toSocketAddress(address);
    const bytes = Buffer.from(text);
    const fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const sent = sendto(fd, ptr(bytes), bytes.length, flags | MSG_NOSIGNAL, ptr(to), to.length);
    close(fd);
    if (Number(sent) !== bytes.length) throw new Error(`Cannot notify ${address}`);
  } finally {
    libc.close();
  }
}

/** Returns a struct sockaddr_un (unix(7)). A path ends with a zero; an abstract name has one in place of its @. */
export function toSocketAddress(address: string): Buffer {
  const name = address.startsWith('@') ? `\0${address.slice(1)}` : `${address}\0`;
  const family = Buffer.alloc(2);
  family.writeUInt16LE(AF_UNIX);
  return Buffer.concat([family, Buffer.from(name)]);
}
