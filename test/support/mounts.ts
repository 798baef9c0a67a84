function mountAll(commands: readonly (readonly string[])[]): void {
  for (const args of commands) {
    const { success, stderr } = Bun.spawnSync(['mount', ...args]);
    if (!success) throw new Error(stderr.toString());
  }
}

/** Shows a folder read-only at another path. Throws where that is not permitted. */
export const mountReadOnly = (source: string, target: string): void =>
  mountAll([
    ['--bind', source, target],
    ['-o', 'remount,ro,bind', target],
  ]);

/** Mounts an empty disk of this size, which only root writes to if `mode` is 755. Throws where that is not permitted. */
export const mountDisk = (target: string, bytes: number, mode: '755' | '1777' = '1777'): void =>
  mountAll([['-t', 'tmpfs', '-o', `size=${bytes},mode=${mode}`, 'none', target]]);

export const unmount = (target: string) => Bun.spawnSync(['umount', '--lazy', target]);
