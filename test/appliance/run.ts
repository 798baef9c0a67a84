// Tests the Debian package in a container with systemd: bun test/appliance/run.ts. The last line counts the tests.
import { formatCounts } from '../counts.ts';
import { findObstacle } from './container.ts';

const obstacle = findObstacle();
if (obstacle !== undefined) {
  console.log(`The tests of the package are skipped: ${obstacle}\n0 passed, 0 failed`);
  process.exit(0);
}
// Not in the name that `make test` looks for. The tests run in the order of the file.
const files = ['package', 'container-image'].map((name) => `${import.meta.dir}/${name}.ts`);
const command = [process.execPath, 'test', ...files];
const child = Bun.spawn(command, { stdio: ['ignore', 'inherit', 'pipe'] });
const decoder = new TextDecoder();
let output = '';
for await (const chunk of child.stderr) {
  process.stderr.write(chunk);
  output += decoder.decode(chunk, { stream: true });
}
const code = await child.exited;
console.log(formatCounts(output, code));
process.exit(code);
