import { mkdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

// As deep as `src/core`, whose modules look for other programs beside the sources.
const FOLDER = join(import.meta.dir, '../../.cache/bundles');
const bundles = new Map<string, Promise<string>>();

/**
 * Returns the path of the script as one file, made once per process: a server that is started again and
 * again spends most of its time on reading the sources.
 */
export function bundle(script: string): Promise<string> {
  const known = bundles.get(script) ?? build(script);
  bundles.set(script, known);
  return known;
}

async function build(script: string): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [script],
    target: 'bun',
    define: { 'Bun.isStandaloneExecutable': 'false' },
    external: [
      'sharp',
      'onnxruntime-node',
      '@roamhq/wrtc',
      '*/native/exiftool.ts',
      '*/native/load.ts',
      '*/native/web-files.ts',
      '#web-files',
    ],
  });
  for (const output of outputs) await writeWhole(join(FOLDER, output.path), output);
  return join(FOLDER, basename(script).replace(/\.ts$/, '.js'));
}

/** Other processes of the tests write the same files, and start them. */
async function writeWhole(path: string, content: Blob): Promise<void> {
  const part = `${path}.${process.pid}`;
  mkdirSync(dirname(path), { recursive: true });
  await Bun.write(part, content);
  renameSync(part, path);
}
