// bun vector-index-child.ts <database> <model> <folder>: builds an index of vectors, and waits for ever when half of it
// is written.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '../../src/db/address.ts';
import { openKernel } from '../../src/inference/vectors/kernel.ts';
import { openSyncedVectors } from '../../src/inference/vectors/synced-vectors.ts';

const [url = '', modelId = '', folder = ''] = process.argv.slice(2);
const own = join(folder, 'killed-child');
const files = await openSyncedVectors(connect(url), modelId, own, await openKernel());
if (!files) throw new Error(`There is no model ${modelId}`);
await files.sync();
const isWritten = () =>
  [...new Bun.Glob('*/ivf-*').scanSync({ cwd: own, onlyFiles: false })].some((name) =>
    readdirSync(join(own, name)).includes('bytes'),
  );
await files.buildIndex(async () => {
  if (!isWritten()) return;
  process.stdout.write('in the middle\n');
  await new Promise(() => setInterval(() => {}, 1000));
});
