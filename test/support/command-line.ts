import { getProgram } from './program.ts';

export type Outcome = { code: number; out: string; err: string };

type Options = { input?: Blob; prefix?: readonly string[] };

/** Runs `safelight ARGS` in this folder; `out` and `err` come trimmed. */
export async function runCommand(
  cwd: string,
  args: string[],
  { input, prefix = [] }: Options = {},
): Promise<Outcome> {
  const { DATABASE_URL: _, ...env } = process.env;
  const child = Bun.spawn([...prefix, ...getProgram(), ...args], {
    cwd,
    env,
    stdio: [input ?? 'ignore', 'pipe', 'pipe'],
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out: out.trim(), err: err.trim() };
}
