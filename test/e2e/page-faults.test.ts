import { expect, test } from 'bun:test';
import { listFaults } from './faults.ts';
import { getSharedBrowser } from './shared.ts';

test('axe finds what is wrong with a page, and nothing wrong with a good one', async () => {
  const browser = await getSharedBrowser();
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  const open = (body: string) =>
    page.setContent(`<html lang="en"><title>Page</title><main><h1>Page</h1>${body}</main></html>`);
  await open('<button>Save</button>');
  expect(await listFaults(page)).toEqual([]);
  await open(`<button></button><p style="color: #999">Faint</p><div style="width: 500px">Wide</div>
    <h1>Another</h1><input><ul><p>No entry</p></ul><p style="color: #888" hidden>Not shown</p>`);
  const faults = await listFaults(page, 0);
  expect(new Set(faults.map((fault) => fault.split(':')[0]!))).toEqual(
    new Set([
      '118 pixels too wide',
      // Inside of the main element, and its margin.
      '126 pixels too wide',
      '2 main headings',
      'button-name',
      'color-contrast',
      'label',
      'list',
    ]),
  );
  await page.context().close();
});
