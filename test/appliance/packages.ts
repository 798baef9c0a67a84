import { join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };

export const ROOT = join(import.meta.dir, '../..');
export const VERSION = manifest.version;

/** Writes the Debian package of a program for this machine into a folder, without compression, which takes minutes. */
export function buildPackage(version: string, folder: string, program?: string): void {
  const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';
  const models = process.env['SAFELIGHT_TEST_MODELS']!;
  const { exitCode } = Bun.spawnSync(
    [join(ROOT, 'appliance/package.sh'), architecture, models, folder, version],
    {
      env: {
        ...process.env,
        PACKAGE_COMPRESSION: '-Znone',
        ...(program && { PACKAGE_PROGRAM: program }),
      },
      stdout: 'inherit',
      stderr: 'inherit',
    },
  );
  if (exitCode !== 0) throw new Error('the package cannot be built');
}
