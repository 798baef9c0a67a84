function mountAll(commands: readonly (readonly string[])[]): string | undefined {
  for (const args of commands) {
    const { success, stderr } = Bun.spawnSync(['mount', ...args]);
    if (!success) return stderr.toString();
  }
  return undefined;
}

/** Shows a folder read-only at another path. Returns why that is not permitted here. */
export const mountReadOnly = (source: string, target: string): string | undefined =>
  mountAll([
    ['--bind', source, target],
    ['-o', 'remount,ro,bind', target],
  ]);

/** Mounts an empty disk of this size. Returns why that is not permitted here. */
export const mountDisk = (target: string, bytes: number): string | undefined =>
  mountAll([['-t', 'tmpfs', '-o', `size=${bytes}`, 'none', target]]);

export const unmount = (target: string) => Bun.spawnSync(['umount', '--lazy', target]);
