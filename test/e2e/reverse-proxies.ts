import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultSettings } from '../../src/core/settings.ts';
import { withOwnCertificate } from '../../src/http/self-signed.ts';
import { findFreePort } from '../support/free-port.ts';
import { PATIENCE_MS, until } from './server.ts';

// Reverse proxies with the configurations of the documentation, before a server of a test.

const DOCUMENT = join(import.meta.dir, '../../appliance/docs/reverse-proxy.md');

export type ReverseProxy = {
  readonly port: number;
  /** Certificate (PEM) that it serves. */
  readonly ca: string;
  stop(): Promise<void>;
};

type Place = { readonly folder: string; readonly port: number };

type Program = {
  /** Replaces the address of the configuration in the documentation. */
  readonly listen: (port: number) => readonly [from: string, to: string];
  /** The rest of the configuration, as Debian has it. */
  readonly complete: (snippet: string, place: Place) => string;
  /** Runs in the foreground. */
  readonly command: (file: string, place: Place) => readonly string[];
};

const USER = process.getuid!() === 0 ? 'root' : undefined;

const PROGRAMS: Readonly<Record<string, Program>> = {
  nginx: {
    listen: (port) => ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
    complete: (snippet, { folder }) => {
      const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${folder}/${name};`,
      );
      return `${USER ? `user ${USER};` : ''}
        pid ${folder}/pid; error_log stderr; events {}
        http { access_log off; ${folders.join(' ')}\n${snippet}\n}`;
    },
    command: (file, { folder }) => [
      '/usr/sbin/nginx',
      '-p',
      folder,
      '-c',
      file,
      '-g',
      'daemon off;',
    ],
  },
  haproxy: {
    listen: (port) => ['bind :443', `bind 127.0.0.1:${port}`],
    complete: (snippet) => `${snippet}\n`,
    command: (file) => ['/usr/sbin/haproxy', '-db', '-f', file],
  },
  caddy: {
    // Without a certificate of its own it would ask an authority.
    listen: (port) => ['photos.example.org {', `https://localhost:${port} {\n    tls CERT KEY`],
    complete: (snippet) => `{\n    admin off\n    auto_https off\n}\n${snippet}\n`,
    command: (file) => ['/usr/bin/caddy', 'run', '--config', file, '--adapter', 'caddyfile'],
  },
  apache: {
    listen: (port) => ['*:443', `127.0.0.1:${port}`],
    complete: (snippet, { folder, port }) => {
      const [, modules = ''] = /# a2enmod ([a-z_ ]+)/.exec(snippet) ?? [];
      const loads = [
        'mpm_event',
        'authz_core',
        'reqtimeout',
        'proxy',
        ...modules.trim().split(' '),
      ].map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`);
      return `${loads.join('\n')}
        ServerName localhost\nListen 127.0.0.1:${port}\nUser www-data\nGroup www-data
        DefaultRuntimeDir ${folder}\nPidFile ${folder}/pid\nErrorLog |/usr/bin/cat
        ${snippet}\n`;
    },
    command: (file) => ['/usr/sbin/apache2', '-DFOREGROUND', '-f', file],
  },
};

export const PROXY_NAMES = Object.keys(PROGRAMS);

/** Returns the configurations of the documentation by the name of their program. */
export function readSnippets(): Map<string, string> {
  const text = readFileSync(DOCUMENT, 'utf8');
  return new Map(
    [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, name, snippet]) => [name!, snippet!]),
  );
}

/** Starts a program by a configuration, which leads to the server at the port. */
export async function startReverseProxy(
  name: string,
  upstream: number,
  snippet = readSnippets().get(name)!,
): Promise<ReverseProxy> {
  const { listen, complete, command } = PROGRAMS[name]!;
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  chmodSync(folder, 0o755);
  const place = { folder, port: findFreePort() };
  const certificate = await makeCertificate(folder);
  const [from, to] = listen(place.port);
  if (!snippet.includes(from) || !snippet.includes('127.0.0.1:2283')) {
    throw new Error(`The configuration for ${name} does not have '${from}' and 127.0.0.1:2283`);
  }
  const adapted = snippet
    .replace(from, to)
    .replace('127.0.0.1:2283', `127.0.0.1:${upstream}`)
    .replace('tls CERT KEY', `tls ${certificate.cert} ${certificate.key}`)
    .replace('/etc/ssl/photos.pem', certificate.cert)
    .replace('/etc/ssl/private/photos.key', certificate.key)
    .replace('/etc/haproxy/photos.pem', certificate.both);
  const file = join(folder, 'configuration');
  writeFileSync(file, complete(adapted, place));
  const child = Bun.spawn(['setpriv', '--pdeathsig', 'KILL', '--', ...command(file, place)], {
    cwd: folder,
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: folder, XDG_DATA_HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = Promise.all([child.stdout, child.stderr].map((one) => new Response(one).text()));
  const stop = async () => {
    child.kill('SIGTERM');
    await child.exited;
    rmSync(folder, { recursive: true, force: true });
  };
  await until(
    `${name} to listen`,
    async () => {
      if (child.exitCode !== null) throw new Error(`${name}: ${(await output).join('\n')}`);
      return accepts(place.port);
    },
    PATIENCE_MS / 1000,
  );
  return { port: place.port, ca: readFileSync(certificate.cert, 'utf8'), stop };
}

async function makeCertificate(folder: string) {
  const settings = { ...defaultSettings(), https: 'self-signed' } as const;
  const { tlsCert, tlsKey } = await withOwnCertificate(settings, join(folder, 'tls'));
  const both = join(folder, 'both.pem');
  mkdirSync(folder, { recursive: true });
  writeFileSync(both, readFileSync(tlsCert!, 'utf8') + readFileSync(tlsKey!, 'utf8'));
  return { cert: tlsCert!, key: tlsKey!, both };
}

function accepts(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1');
  socket.once('connect', () => resolve(true));
  socket.once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}
