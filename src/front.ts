import { Failure } from './core/command-line.ts';
import type { Log } from './core/log.ts';
import { dropLowPorts } from './core/privileges.ts';
import type { Settings } from './core/settings.ts';
import { getFingerprint, readCertificate, watchCertificate } from './http/certificate.ts';
import { type Listener, type ListenerOptions, startListener } from './http/listener.ts';

export type Handler = Pick<ListenerOptions, 'fetch' | 'onResponse' | 'upgrade'>;

/** The listener of the process, before what serves at the moment: the application or maintenance mode. */
export type Front = {
  /** Serves new requests by this handler. Listens from the first call on. */
  serve(handler: Handler): Promise<Pick<Listener, 'url' | 'port'>>;
  /** Resolves when the requests of this moment have ended. */
  drain(): Promise<void>;
  stop(): Promise<void>;
};

export function createFront(settings: Settings, log: Log, renewalPollMs?: number): Front {
  let current: Handler;
  let listener: Listener | undefined;
  const start = (port = settings.port) =>
    listen(
      { ...settings, port },
      {
        log,
        fetch: (request) => current.fetch(request),
        onResponse: (exchange, status) => current.onResponse?.(exchange, status),
        upgrade: (incoming, socket, head) => {
          if (current.upgrade) current.upgrade(incoming, socket, head);
          else socket.end('HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\n\r\n');
        },
      },
    );
  /** Bun cannot change the certificate of a listener. Requests that run end on the old one. */
  const restart = async () => {
    const before = listener!;
    const { port } = before;
    if (port < 1024) throw new Failure(`Only a new start can listen on port ${port} again`);
    void before.stop(RENEWAL_GRACE_MS);
    listener = undefined;
    while (!listener) {
      try {
        listener = await start(port);
      } catch (error) {
        log.error('listening again failed, retrying', { error });
        await Bun.sleep(RETRY_MS);
      }
    }
  };
  let unwatch = () => {};
  return {
    async serve(handler) {
      current = handler;
      if (listener) return listener;
      listener = await start();
      const certificate = readCertificate(settings);
      if (certificate) log.info('HTTPS', { fingerprint: getFingerprint(certificate.cert) });
      unwatch = watchCertificate(settings, log, restart, renewalPollMs);
      return listener;
    },
    drain: async () => listener?.drain(),
    async stop() {
      unwatch();
      await listener?.stop();
    },
  };
}

/** Time for requests on connections with the old certificate, in ms. */
const RENEWAL_GRACE_MS = 600_000;
const RETRY_MS = 1_000;

async function listen(
  settings: Settings,
  options: Handler & { readonly log: Log },
): Promise<Listener> {
  const { host, port, maxBodyBytes } = settings;
  try {
    const listener = await startListener({
      ...options,
      host,
      port,
      tls: readCertificate(settings),
      limits: { maxBodyBytes },
    });
    if (process.getuid!() !== 0) dropLowPorts();
    return listener;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = REASONS.get(code ?? '');
    if (!reason) throw error;
    throw new Failure(`Cannot listen on ${host} port ${port}: ${reason}`, { cause: error });
  }
}

const REASONS = new Map([
  ['EADDRINUSE', 'another program does already. Choose another with --port.'],
  ['EACCES', 'only root may take a port below 1024. Choose another with --port.'],
  ['EADDRNOTAVAIL', 'this machine does not have that address. Choose another with --host.'],
]);
