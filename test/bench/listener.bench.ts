// The listener alone, beside `Bun.serve` and `node:http` with the same files: `bun test/bench/listener.bench.ts`, with wrk
// in the path. Ours checks ranges and conditions of a request too.
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../src/core/log.ts';
import { fileResponse } from '../../src/http/files.ts';
import { startListener } from '../../src/http/listener.ts';
import { getCpuMs } from './processes.ts';

const FILES: Readonly<Record<string, number>> = {
  '/15kB': 15_000,
  '/120kB': 120_000,
  '/350kB': 350_000,
  '/2MB': 2_000_000,
};

/** Each serves the files of a folder and returns its address. */
const SERVERS: Readonly<Record<string, (folder: string) => Promise<string>>> = {
  ours: async (folder) => {
    const { url } = await startListener({
      host: '127.0.0.1',
      port: 0,
      log: silentLog,
      fetch(request) {
        const path = request.url.slice(request.url.indexOf('/', 8));
        return fileResponse(request, {
          path: join(folder, path),
          size: FILES[path]!,
          etag: '"bench"',
          type: 'image/webp',
          cacheControl: 'private, max-age=86400, no-transform',
        });
      },
    });
    return url;
  },
  'Bun.serve': async (folder) => {
    const { url } = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: (request) => new Response(Bun.file(join(folder, new URL(request.url).pathname))),
    });
    return url.origin;
  },
  'node:http': async (folder) => {
    const server = createServer((request, response) => {
      const path = request.url!;
      response.writeHead(200, { 'content-type': 'image/webp', 'content-length': FILES[path]! });
      createReadStream(join(folder, path)).pipe(response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
};

const [mode, name] = process.argv.slice(2);
if (mode === 'serve') await serve(SERVERS[name!]!);
else await measure(Number(mode ?? 4));

async function serve(start: (folder: string) => Promise<string>) {
  const folder = mkdtempSync(join(tmpdir(), 'listener-bench-'));
  for (const [file, size] of Object.entries(FILES)) {
    writeFileSync(join(folder, file), new Uint8Array(size));
  }
  console.log(await start(folder));
  process.once('SIGTERM', () => {
    rmSync(folder, { recursive: true });
    process.exit();
  });
}

async function measure(seconds: number) {
  const results = [];
  for (const kind of Object.keys(SERVERS)) {
    const server = Bun.spawn([process.execPath, import.meta.path, 'serve', kind], {
      stdout: 'pipe',
      stderr: 'inherit',
    });
    const reader = server.stdout.getReader();
    const url = new TextDecoder().decode((await reader.read()).value).trim();
    for (const path of Object.keys(FILES)) {
      const run = (time: number) =>
        Bun.spawnSync([
          'wrk',
          '-c16',
          '-t1',
          `-d${time}`,
          '--latency',
          `${url}${path}`,
        ]).stdout.toString();
      run(1);
      const before = getCpuMs(server.pid);
      const text = run(seconds);
      const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1]);
      results.push({
        server: kind,
        path,
        'req/s': Math.round(rate),
        p50: /^\s+50%\s+(\S+)/m.exec(text)?.[1],
        p99: /^\s+99%\s+(\S+)/m.exec(text)?.[1],
        'CPU µs/req': Math.round(((getCpuMs(server.pid) - before) / (rate * seconds)) * 1e3),
        errors: /Socket errors.*|Non-2xx.*/.exec(text)?.[0] ?? 'none',
      });
    }
    server.kill();
    await server.exited;
  }
  console.table(results);
}
