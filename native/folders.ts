import { accessSync, constants, lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Where native files may be unpacked, best first. Whatever lies there is run, so a folder that
 * somebody else could have made or can write to is left out.
 */
export function* nativeFolders(environment: Env = process.env): Generator<string> {
  const { SAFELIGHT_NATIVE_DIR, CACHE_DIRECTORY, STATE_DIRECTORY } = environment;
  // The owner's own word; it may be read-only and belong to root.
  if (SAFELIGHT_NATIVE_DIR) yield SAFELIGHT_NATIVE_DIR;
  for (const list of [CACHE_DIRECTORY, STATE_DIRECTORY]) {
    // systemd separates several by a colon.
    const folder = list?.split(':')[0];
    if (folder) yield folder;
  }
  const { XDG_CACHE_HOME, HOME } = environment;
  if (XDG_CACHE_HOME?.startsWith('/')) yield* ours(join(XDG_CACHE_HOME, 'safelight'));
  else if (HOME?.startsWith('/') && isWritable(HOME)) yield* ours(join(HOME, '.cache/safelight'));
  yield* ours(`/var/tmp/safelight-${process.getuid?.() ?? 0}`);
}

type Env = Readonly<Record<string, string | undefined>>;

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** The folder if it is a real one, belongs to this user, and nobody else can write to it. */
function* ours(folder: string): Generator<string> {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const stat = lstatSync(folder);
    const mine = stat.isDirectory() && stat.uid === process.getuid?.();
    if (mine && (stat.mode & 0o022) === 0) yield folder;
  } catch {
    // Not there and not to be made.
  }
}
