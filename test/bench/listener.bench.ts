// Speed of the listener alone: `bun test/bench/listener.bench.ts`, with wrk in the path.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../src/core/log.ts';
import { fileResponse } from '../../src/http/files.ts';
import { startListener } from '../../src/http/listener.ts';
import { getCpuMs } from './processes.ts';

const FILES: Readonly<Record<string, number>> = {
  '/15kB': 15_000,
  '/120kB': 120_000,
  '/2MB': 2_000_000,
};

if (process.argv[2] === 'serve') await serve();
else await measure();

async function serve() {
  const folder = mkdtempSync(join(tmpdir(), 'listener-bench-'));
  for (const [name, size] of Object.entries(FILES)) {
    writeFileSync(join(folder, name), new Uint8Array(size));
  }
  const listener = await startListener({
    host: '127.0.0.1',
    port: 0,
    log: silentLog,
    fetch(request) {
      const path = request.url.slice(request.url.indexOf('/', 8));
      const size = FILES[path];
      if (size === undefined) return Response.json({ res: 'pong' });
      return fileResponse(request, {
        path: join(folder, path),
        size,
        etag: '"bench"',
        type: 'image/webp',
        cacheControl: 'private, max-age=86400, no-transform',
      });
    },
  });
  console.log(listener.url);
  process.once('SIGTERM', () => {
    rmSync(folder, { recursive: true });
    process.exit();
  });
}

async function measure() {
  const server = Bun.spawn([process.execPath, import.meta.path, 'serve'], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const reader = server.stdout.getReader();
  const url = new TextDecoder().decode((await reader.read()).value).trim();
  const seconds = Number(process.argv[2] ?? 4);
  const results = [];
  for (const path of ['/json', ...Object.keys(FILES)]) {
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
      path,
      'req/s': Math.round(rate),
      p50: /^\s+50%\s+(\S+)/m.exec(text)?.[1],
      p99: /^\s+99%\s+(\S+)/m.exec(text)?.[1],
      'CPU µs/req': Math.round(((getCpuMs(server.pid) - before) / (rate * seconds)) * 1e3),
      errors: /Socket errors.*|Non-2xx.*/.exec(text)?.[0] ?? 'none',
    });
  }
  console.table(results);
  server.kill();
  await server.exited;
}
