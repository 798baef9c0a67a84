import { closeSync } from 'node:fs';
import { Failure } from './core/command-line.ts';
import type { Log } from './core/log.ts';
import { dropLowPorts } from './core/privileges.ts';
import { getUid } from './core/process-user.ts';
import type { ServiceManager } from './core/service-manager.ts';
import type { Settings } from './core/settings.ts';
import { getFingerprint, readCertificate, watchCertificate } from './http/certificate.ts';
import { type Listener, type ListenerOptions, startListener } from './http/listener.ts';
import { resolveProbe } from './http/probes.ts';
import { copyListeningSocket, findListeningSocket } from './http/listening-socket.ts';

export type Handler = Pick<ListenerOptions, 'fetch' | 'onResponse' | 'upgrade'>;

/** The listener of the process, before what serves at the moment: the application or maintenance mode. */
export type Front = {
  /** Serves new requests by this handler. Listens from the first call on. */
  serve(handler: Handler): Promise<Pick<Listener, 'url' | 'port'>>;
  /** Resolves when the requests of this moment have ended. */
  drain(): Promise<void>;
  stop(): Promise<void>;
};

type FrontOptions = {
  readonly renewalPollMs?: number;
  /** Passes the socket from one process of the service to the next: no connection is refused meanwhile. */
  readonly manager?: Pick<ServiceManager, 'sockets' | 'keepSocket' | 'dropSocket'>;
};

export function createFront(
  settings: Settings,
  log: Log,
  { renewalPollMs, manager }: FrontOptions = {},
): Front {
  let current: Handler;
  let listener: Listener | undefined;
  const start = (socket?: number) =>
    listen(settings, {
      log,
      socket,
      fetch: (request) => current.fetch(resolveProbe(request)),
      onResponse: (exchange, status) => current.onResponse?.(exchange, status),
      upgrade: (incoming, socket, head) => {
        if (current.upgrade) current.upgrade(incoming, socket, head);
        else socket.end('HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\n\r\n');
      },
    });
  const name = toSocketName(settings);
  /** Takes over the socket of the process before, or leaves its own to the next one. */
  const open = async () => {
    for (const [other, fd] of manager?.sockets ?? []) {
      if (other === name) return useSocket(fd);
      // Its settings have changed since.
      closeSync(fd);
      manager?.dropSocket(other);
    }
    const opened = await start();
    if (settings.port !== 0) manager?.keepSocket(name, findListeningSocket(opened.port));
    return opened;
  };
  const useSocket = (fd: number) => start(fd).finally(() => closeSync(fd));
  /** Bun cannot change the certificate of a listener. Requests that run end on the old one. */
  const restart = async () => {
    const before = listener;
    if (!before) return;
    listener = await useSocket(copyListeningSocket(before.port));
    void before.stop(RENEWAL_GRACE_MS);
  };
  let unwatch = () => {};
  return {
    async serve(handler) {
      current = handler;
      if (listener) return listener;
      listener = await open();
      const certificate = readCertificate(settings);
      if (certificate) log.info('HTTPS', { fingerprint: getFingerprint(certificate.cert) });
      unwatch = watchCertificate(settings, log, restart, renewalPollMs);
      return listener;
    },
    drain: async () => listener?.drain(),
    async stop() {
      unwatch();
      const stopping = listener;
      listener = undefined;
      await stopping?.stop();
    },
  };
}

/** Names of sockets that systemd keeps have no colon. */
export const toSocketName = ({ host, port }: Pick<Settings, 'host' | 'port'>): string =>
  `listen-${new Bun.CryptoHasher('sha256').update(`${host} ${port}`).digest('hex').slice(0, 16)}`;

/** Time for requests on connections with the old certificate, in ms. */
const RENEWAL_GRACE_MS = 600_000;

async function listen(
  settings: Settings,
  options: Handler & Pick<ListenerOptions, 'log' | 'socket'>,
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
    if (getUid() !== 0) dropLowPorts();
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
