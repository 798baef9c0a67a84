import { getFirst } from '../core/required.ts';
/** Returns the version that a program prints; undefined: it prints none, or is not there. */
export async function readToolVersion(command: readonly string[]): Promise<string | undefined> {
  if (!Bun.which(getFirst(command))) return undefined;
  const child = Bun.spawn([...command], { stdio: ['ignore', 'pipe', 'ignore'], timeout: 10_000 });
  const words = await new Response(child.stdout).text();
  return /\d+(?:\.\d+)+/.exec(words)?.[0];
}
