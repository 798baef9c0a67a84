import { getProgram } from './program.ts';

const LISTENING = /^Safelight is (?:ready:|in maintenance mode:) (https?:\/\/[^/]+)/;

/** Whether a server says that it is ready. Rejects where none answers. */
export const isReady = async (url: string): Promise<boolean> =>
  (await fetch(`${url}/api/server/ready`)).status === 200;

type Line = { level: string; message: string } & Record<string, unknown>;

/** Servers in processes of their own that are started in this folder, by `prefix`. */
export function serveFrom(
  folder: string,
  prefix: readonly string[] = [],
  program: readonly string[] = getProgram(),
) {
  const running: Bun.Subprocess[] = [];

  function spawn(...args: string[]) {
    const { DATABASE_URL: _, ...env } = process.env;
    const child = Bun.spawn([...prefix, ...program, ...args, '--log-format', 'json'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.push(child);
    return child;
  }

  /** Starts a server and waits for the line that says where it is. */
  async function serve(...args: string[]) {
    const child = spawn('serve', '--port', '0', '--host', '127.0.0.1', ...args);
    const lines: Line[] = [];
    let output = '';
    void (async () => {
      for await (const chunk of child.stdout) output += new TextDecoder().decode(chunk);
    })();
    const ready = Promise.withResolvers<string>();
    void (async () => {
      let rest = '';
      const decoder = new TextDecoder();
      for await (const chunk of child.stderr) {
        const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
        rest = parts.pop()!;
        for (const part of parts.filter((text) => text.startsWith('{'))) {
          const line = JSON.parse(part) as Line;
          lines.push(line);
          const url = LISTENING.exec(line.message)?.[1];
          if (url) ready.resolve(url);
        }
      }
      ready.reject(new Error(`ended before it was ready: ${JSON.stringify(lines)}`));
    })();
    return { child, lines, url: await ready.promise, getOutput: () => output };
  }

  return {
    spawn,
    serve,
    async stopAll(): Promise<void> {
      for (const child of running.splice(0)) {
        child.kill('SIGTERM');
        await child.exited;
      }
    },
  };
}
