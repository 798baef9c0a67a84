import { afterAll, describe, expect, test } from 'bun:test';
import sharp from 'sharp';
import { colorAt, expectNear, openFixtures } from '../../test/fixtures/index.ts';
import { EVIL_DRAWINGS } from '../../test/support/drawings.ts';
import { renderEdited } from './edited-image.ts';
import { UNEDITED } from './picture-edits.ts';
import { renderImage } from './images.ts';

const fixtures = openFixtures();
afterAll(() => fixtures.remove());

const toOptions = (path: string) => ({ fileName: path, tempDir: fixtures.folder });

async function render(name: string, svg: string) {
  await Bun.write(fixtures.path(name), svg);
  return renderImage(fixtures.path(name), toOptions(name));
}

const getKind = (name: string, svg: string) =>
  render(name, svg).then(
    () => 'rendered',
    (error: unknown) => (error as { kind?: string }).kind,
  );

const NS = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';
const draw = (content: string, size = 'width="300" height="200"') =>
  `<svg ${NS} ${size}>${content}</svg>`;
const HALVES = '<rect width="50%" height="100%" fill="#d02020"/>';
const RED = [208, 32, 32] as const;

describe('SVG', () => {
  test('is drawn in its size, with its transparency, under any name', async () => {
    for (const name of ['halves.svg', 'halves.png']) {
      const image = await render(name, `<?xml version="1.0"?>${draw(HALVES)}`);
      expect([image.width, image.height, image.damage]).toEqual([300, 200, undefined]);
      expect(image.preview).toMatchObject({ width: 300, height: 200, type: 'image/webp' });
      expectNear(await colorAt(image.preview.bytes, 0.25, 0.5), RED, 6);
      const { data } = await sharp(image.thumbnail.bytes)
        .extractChannel(3)
        .raw()
        .toBuffer({ resolveWithObject: true });
      expect([data[2], data.at(-2)]).toEqual([255, 0]);
    }
  });

  test('of a size beyond the preview keeps its size and is drawn at that of the preview', async () => {
    const image = await render('large.svg', draw(HALVES, 'width="9000" height="6000"'));
    expect([image.width, image.height]).toEqual([9000, 6000]);
    expect(image.preview).toMatchObject({ width: 2160, height: 1440 });
    expectNear(await colorAt(image.preview.bytes, 0.25, 0.5), RED, 6);
  });

  test('has its text', async () => {
    const text = '<text x="10" y="150" font-size="150" font-family="sans-serif">MMM</text>';
    const { preview } = await render('text.svg', draw(text));
    const { channels } = await sharp(preview.bytes).stats();
    expect(channels[3]!.mean).toBeGreaterThan(20);
  });

  test('reads no other file, and shows what it embeds', async () => {
    const create = { width: 300, height: 200, channels: 3, background: '#d02020' } as const;
    const png = await sharp({ create }).png().toBuffer();
    await Bun.write(fixtures.path('secret.png'), png);
    const show = (href: string) =>
      draw(`<image width="300" height="200" ${href}/><rect width="9" height="9"/>`);
    for (const address of ['secret.png', './secret.png', `file://${fixtures.path('secret.png')}`]) {
      for (const name of ['href', 'xlink:href']) {
        const { preview } = await render('link.svg', show(`${name}="${address}"`));
        const alpha = await sharp(preview.bytes).extractChannel(3).stats();
        expect([address, alpha.channels[0]!.mean]).toEqual([address, expect.closeTo(0.35, 0)]);
      }
    }
    const embedded = await render(
      'own.svg',
      show(`href="data:image/png;base64,${png.toString('base64')}"`),
    );
    expectNear(await colorAt(embedded.preview.bytes, 0.5, 0.5), RED, 6);
  });

  test('asks no server', async () => {
    let asked = 0;
    using server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => (asked++, new Response()),
    });
    const image = `<image width="90" height="90" xlink:href="${server.url}a.png"/>`;
    const style = `<style>@import url("${server.url}b.css");</style>`;
    expect(await getKind('remote.svg', draw(style + image + HALVES))).toBe('rendered');
    expect(asked).toBe(0);
  });

  test('runs no script and expands no file into text', async () => {
    await Bun.write(fixtures.path('secret.txt'), '<rect width="300" height="200"/>');
    const doctype = `<!DOCTYPE svg [<!ENTITY e SYSTEM "file://${fixtures.path('secret.txt')}">]>`;
    const found = await render('entity.svg', doctype + draw('&e;')).catch(() => undefined);
    const alpha = found && (await sharp(found.preview.bytes).extractChannel(3).stats());
    expect(alpha?.channels[0]!.max ?? 0).toBe(0);
    const script = `<script>document.documentElement.innerHTML = ''</script>`;
    expectNear(
      await colorAt((await render('run.svg', draw(HALVES + script))).preview.bytes, 0.25, 0.5),
      RED,
      6,
    );
  });

  test('that would take too much is refused', async () => {
    for (const { name, svg, kind } of EVIL_DRAWINGS)
      expect([name, await getKind(name, svg())]).toEqual([name, kind]);
  }, 120_000);

  test('is not edited', async () => {
    await Bun.write(fixtures.path('edit.svg'), draw(HALVES));
    const path = fixtures.path('edit.svg');
    const options = { ...toOptions(path), ...UNEDITED, source: { width: 300, height: 200 } };
    await expect(renderEdited(path, options)).rejects.toMatchObject({ kind: 'unsupported' });
  });
});
