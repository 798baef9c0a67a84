import { tmpdir } from 'node:os';
import { renderImage } from '../../src/media/images.ts';

// Renders the pictures at these paths and writes a line with the size of each.
for (const path of process.argv.slice(2)) {
  const { width, height } = await renderImage(path, { fileName: path, tempDir: tmpdir() });
  console.log(`${width}x${height}`);
}
process.exit(0);
