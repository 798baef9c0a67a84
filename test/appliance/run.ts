// Tests the Debian package in a container with systemd, or the disk image in an emulated machine:
//   bun test/appliance/run.ts package|container-image|image…
// The last line counts the tests, or the files where none can run.
import { formatCounts, readCounts } from '../run/counts.ts';
import * as container from './container.ts';
import * as machine from './machine.ts';

const names = process.argv.slice(2);
const { findObstacle } = names.includes('image') ? machine : container;
const obstacle = findObstacle();
if (obstacle !== undefined) {
  console.log(`${names.length} skipped: ${obstacle}\n0 passed, 0 failed, ${names.length} skipped`);
  process.exit(0);
}
// Not in the name that `make test` looks for. The tests run in the order of the file.
const files = names.map((name) => `${import.meta.dir}/${name}.ts`);
const command = [process.execPath, 'test', ...files];
const child = Bun.spawn(command, { stdio: ['ignore', 'inherit', 'pipe'] });
const decoder = new TextDecoder();
let output = '';
for await (const chunk of child.stderr) {
  process.stderr.write(chunk);
  output += decoder.decode(chunk, { stream: true });
}
const code = await child.exited;
console.log(formatCounts(readCounts(output, code)));
process.exit(code);
