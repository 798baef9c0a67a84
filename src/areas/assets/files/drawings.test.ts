import { afterAll, beforeAll, expect, test } from 'bun:test';
import { photoForm, upload } from '../../../../test/support/forms.ts';
import {
  call,
  seed,
  send,
  type TestDatabase,
  testApp,
  type TestUser,
} from '../../../../test/support/harness.ts';
import { addLink } from '../../../../test/support/household.ts';
import { drainLane, openMediaLibrary } from '../../../../test/support/processing.ts';
import type { App } from '../../../app.ts';
import type { HandlersByLane } from '../../../job-registry.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { renderImage } from '../jobs.ts';
import { handleRenderImage } from '../processing/thumbnails.handlers.ts';

const SVG = `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="600" height="400">
  <script>alert(document.cookie)</script><rect width="600" height="400" fill="#208040"/></svg>`;

let database: TestDatabase;
let app: App;
let owner: TestUser;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ database, close } = await openMediaLibrary());
  app = testApp(database);
  owner = await seed(database).user();
});
afterAll(() => close());

async function addDrawing(fileName: string): Promise<string> {
  const bytes = Buffer.from(`${SVG}<!-- ${fileName} -->`);
  const { status, body } = await upload(app, photoForm(bytes, [], fileName), { as: owner });
  expect(status).toBe(201);
  await database.sql`truncate job`;
  await enqueue(database.db, renderImage, { assetId: body.id });
  await drainLane(database, 'image', {
    'assets.renderImage': handleRenderImage,
  } as HandlersByLane<'image'>);
  return body.id;
}

const SIZES = ['thumbnail', 'preview', 'fullsize', 'original'];

test('an SVG is shown as pictures made of it, and sent as a download in a sandbox', async () => {
  const id = await addDrawing('logo.SVG');
  const { body } = await call(app, `GET /assets/${id}`, { as: owner });
  expect(body).toMatchObject({
    type: 'IMAGE',
    originalMimeType: 'image/svg',
    width: 600,
    height: 400,
  });
  await addLink(database, { ownerId: owner.id, slug: 'drawing' }, [id]);
  for (const [query, caller] of [
    ['', { as: owner }],
    ['&slug=drawing', {}],
  ] as const) {
    for (const size of SIZES) {
      const reply = await send(app, `GET /assets/${id}/thumbnail?size=${size}${query}`, caller);
      expect([size, reply.status]).toEqual([size, 200]);
      expect(reply.headers.get('content-type')).toMatch(/^image\/(jpeg|webp)$/);
      expect(await reply.text()).not.toContain('<svg');
    }
    const file = await send(app, `GET /assets/${id}/original?${query}`, caller);
    expect(await file.text()).toContain('<script>');
    expect(file.headers.get('content-type')).toBe('image/svg');
    expect(file.headers.get('content-disposition')).toStartWith('attachment;');
    expect(file.headers.get('content-security-policy')).toContain('sandbox');
    expect(file.headers.get('x-content-type-options')).toBe('nosniff');
    const playback = await send(app, `GET /assets/${id}/video/playback?${query}`, caller);
    expect(playback.status).toBe(404);
  }
  const stranger = await seed(database).user();
  for (const route of ['thumbnail?size=preview', 'original'])
    expect((await send(app, `GET /assets/${id}/${route}`, { as: stranger })).status).toBe(400);
});

test('an SVG is never served as one inline, under any name', async () => {
  const id = await addDrawing('photo.png');
  const reply = await send(app, `GET /assets/${id}/thumbnail?size=original`, { as: owner });
  expect(reply.headers.get('content-type')).toBe('image/png');
  expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
});

test('editing an SVG is refused', async () => {
  const id = await addDrawing('edit.svg');
  const edits = [{ action: 'rotate', parameters: { angle: 90 } }];
  const reply = await call(app, `PUT /assets/${id}/edits`, { as: owner, body: { edits } });
  expect([reply.status, reply.body.message]).toEqual([
    400,
    'Editing this kind of image is not supported',
  ]);
});
