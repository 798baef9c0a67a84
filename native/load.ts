import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { nativeFiles } from '#native-files';
import { requireValue } from '../src/core/required.ts';
import { setCEnv } from './cenv.ts';
import { nativeFolders } from './folders.ts';
import { loadFromMemory } from './memfd.ts';
import { type EmbeddedFile, unpackFile } from './unpack.ts';

// Reached through the build only: from source the packages load their own files.

/** Defined by native/build.ts: a digest of all native files, so no other build's copy is loaded. */
declare const NATIVE_DIGEST: string;

export type AddonName = 'sharp' | 'onnxruntime-node' | '@roamhq/wrtc';
export type NativeFile = {
  readonly name: string;
  readonly embedded: EmbeddedFile;
  readonly isProgram?: boolean;
};
/** The last file of each is the addon, those before are libraries that it needs. */
export type NativeFiles = Readonly<Record<AddonName | 'vectors' | 'launch', readonly NativeFile[]>>;

const loaded = new Map<string, unknown>();

/** The files that the package would have required from its own folder. */
export function loadAddon(name: AddonName): unknown {
  if (!loaded.has(name)) loaded.set(name, load(name, openAddon));
  return loaded.get(name);
}

/** Opens a library of our own with `open`, from wherever it may be run. */
export const loadLibrary = <T>(name: 'vectors', open: (path: string) => T): T => load(name, open);

/** The path of a program of our own, in a place where it can be executed. */
export const loadProgram = (name: 'launch'): string =>
  load(name, (path) => {
    if (Bun.spawnSync([path, '--report'], { stdio: ['ignore', 'ignore', 'ignore'] }).exitCode === 0)
      return path;
    throw new Error('cannot be executed');
  });

/**
 * Unpacks an addon and its libraries for a child that may only read them, and returns the folder.
 * Undefined where there is none: then the child loads them from memory.
 */
export function unpackAddon(name: AddonName): string | undefined {
  for (const folder of nativeFolders()) {
    try {
      for (const file of nativeFiles[name]) extract(folder, file);
      return extractedRoot(folder);
    } catch {
      // Read-only or full: the next one.
    }
  }
  return undefined;
}

function load<T>(name: keyof NativeFiles, open: (path: string) => T): T {
  // Also here: who forgets it at the start must not phone home.
  if (name === 'onnxruntime-node' && process.env['ORT_DISABLE_TELEMETRY'] !== '1') {
    setCEnv('ORT_DISABLE_TELEMETRY', '1');
  }
  const files = nativeFiles[name];
  const failures: string[] = [];
  for (const folder of nativeFolders()) {
    try {
      const paths = files.map((file) => extract(folder, file));
      const addon = open(requireValue(paths.at(-1), `file of ${name}`));
      removeOutdated(folder);
      return addon;
    } catch (error) {
      // Read-only, full, or mounted noexec: the next folder may do.
      failures.push(`${folder}: ${(error as Error).message}`);
    }
  }
  try {
    return loadFromMemory(files, open);
  } catch (error) {
    failures.push(`memory: ${(error as Error).message}`);
    throw new Error(
      `${name} cannot be loaded. Set SAFELIGHT_NATIVE_DIR to a folder where programs may be ` +
        `written and run.\n${failures.join('\n')}`,
      { cause: error },
    );
  }
}

const KEPT_MS = 24 * 60 * 60 * 1000;

/** Deletes libraries that other versions unpacked, 86 MB each. A version that still runs unpacks again. */
function removeOutdated(folder: string): void {
  const current = extractedRoot(folder);
  try {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (!/^native-[\da-f]{16}$/.test(name) || path === current) continue;
      if (Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { recursive: true });
    }
  } catch {
    // Read-only, or another process was faster.
  }
}

function openAddon(path: string): unknown {
  const module = { exports: {} };
  process.dlopen(module, path);
  return module.exports;
}

export const extractedRoot = (folder: string): string =>
  join(folder, `native-${NATIVE_DIGEST.slice(0, 16)}`);

/** The size tells a copy that was cut short; the digest is in the name of the folder. */
function extract(folder: string, { name, embedded, isProgram }: NativeFile): string {
  const path = join(extractedRoot(folder), name);
  unpackFile(embedded, path, isProgram ? 0o755 : 0o644);
  return path;
}
