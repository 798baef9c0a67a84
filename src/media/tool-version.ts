/** Returns the version that a program prints; undefined: it prints none. */
export async function readToolVersion(path: string, option: string): Promise<string | undefined> {
  const child = Bun.spawn([path, option], { stdio: ['ignore', 'pipe', 'ignore'], timeout: 10_000 });
  const words = await new Response(child.stdout).text();
  return /\d+(?:\.\d+)+/.exec(words)?.[0];
}
