import type { Locator, Page } from 'playwright-core';
import type { Random } from '../support/random.ts';

// Gestures of somebody who edits a film without thinking.

const KEYS = [
  'ArrowLeft',
  'ArrowRight',
  'Shift+ArrowLeft',
  'Shift+ArrowRight',
  'ArrowUp',
  'ArrowDown',
  'Home',
  'End',
  'j',
  'k',
  'l',
  ' ',
  's',
  's',
  'i',
  'o',
  'Delete',
  'Shift+Delete',
  'Alt+ArrowLeft',
  'Alt+ArrowRight',
  'Alt+ArrowUp',
  'Alt+ArrowDown',
  'Control+z',
  'Control+z',
  'Control+Shift+z',
  'Control+y',
];
const BUTTONS = [
  'Undo',
  'Redo',
  'Add a title',
  'Split at the playhead',
  'Move to the track above',
  'Move to the track below',
  'Play',
  'Play',
  'Pause',
  'Sound off',
  'Sound on',
];
const SOUND_FIELDS = ['Volume (percent)', 'Fade in (seconds)', 'Fade out (seconds)'];

/** Does something on the page of the editor, decided by the random numbers that it draws. */
export type Gesture = (page: Page, random: Random) => Promise<unknown>;

/** Returns one of them that is there; undefined for none. */
async function pick(random: Random, all: Locator): Promise<Locator | undefined> {
  const count = await all.count();
  return count === 0 ? undefined : all.nth(random.below(count));
}

const blocks = (page: Page, row = '') => page.locator(`[data-row${row}] li > button`);
export const sounds = (page: Page) => blocks(page, '=sounds');

async function drag(page: Page, random: Random, block: Locator, grip: number, isLevel: boolean) {
  await block.scrollIntoViewIfNeeded();
  const box = await block.boundingBox();
  if (!box) return;
  const from = { x: box.x + Math.min(box.width - 1, Math.max(1, grip * box.width)), y: box.y + 20 };
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (let at = random.below(4); at >= 0; at--) {
    const [across, down] = [random.below(500) - 250, isLevel ? 0 : random.below(160) - 80];
    await page.mouse.move(from.x + across, from.y + down, { steps: 3 });
  }
  await page.mouse.up();
}

async function chooseSound(page: Page, random: Random): Promise<boolean> {
  const sound = await pick(random, sounds(page));
  await sound?.click({ force: true, position: { x: 1, y: 30 } });
  return sound !== undefined;
}

export const gestures: readonly Gesture[] = [
  async (page, random) => page.keyboard.press(random.pick(KEYS)),
  async (page, random) => page.keyboard.press(random.pick(KEYS)),
  async (page, random) => {
    // A film with very many clips is no better a test.
    if ((await blocks(page).count()) > 12) return page.keyboard.press('Delete');
    return (await pick(random, page.getByRole('button', { name: /^Add (Photo|Video)/ })))?.click();
  },
  // In one step: what plays ends by itself, and its button is another one then.
  async (page, random) =>
    page
      .getByRole('button', { name: random.pick(BUTTONS), exact: true })
      .evaluateAll(([button]) => (button as HTMLElement | undefined)?.click()),
  async (page, random) =>
    (await pick(random, blocks(page)))?.click({ force: true, position: { x: 2, y: 9 } }),
  async (page, random) => {
    const block = await pick(random, blocks(page));
    if (block) await drag(page, random, block, 0.5, false);
  },
  async (page, random) => {
    const block = await pick(random, blocks(page));
    if (block) await drag(page, random, block, random.below(2), true);
  },
  async (page, random) => {
    const field = await pick(random, page.locator('section[aria-label=Properties] input'));
    const type = await field?.getAttribute('type');
    if (!field || type === 'color') return;
    if (type === 'checkbox') return field.click();
    await field.fill(
      random.pick(['', 'x', '0', '0.5', '1', '2.25', '33', '50', '120', '-7', '1e9']),
    );
    await field.press(random.pick(['Enter', 'Escape', 'Tab']));
  },
  async (page, random) => {
    const choice = await pick(random, page.locator('section[aria-label=Properties] select'));
    const count = (await choice?.locator('option').count()) ?? 0;
    if (count > 0) await choice!.selectOption({ index: random.below(count) });
  },
  async (page, random) => {
    const text = page.getByLabel('Text');
    if ((await text.count()) > 0)
      await text.fill(random.pick(['', ' ', "It's 100% : a", 'Füße 🎞']));
  },
  async (page, random) => {
    // Where it is seen: the view of a film that plays follows it.
    const [ruler, view] = await Promise.all([
      page.getByRole('slider', { name: 'Playhead' }).boundingBox(),
      page.getByRole('region', { name: 'Timeline' }).boundingBox(),
    ]);
    const across = random.below(400);
    if (ruler && view) await page.mouse.click(Math.max(ruler.x, view.x) + 5 + across, ruler.y + 5);
  },
  async (page, random) => {
    if ((await sounds(page).count()) > 5) return;
    const videos = page.getByRole('button', { name: /^Add the sound of Video/ });
    await (await pick(random, videos))?.click();
  },
  async (page, random) => {
    if (!(await chooseSound(page, random))) return;
    const field = page.getByLabel(random.pick(SOUND_FIELDS), { exact: true });
    if ((await field.count()) === 0) return;
    await field.fill(random.pick(['0', '0.4', '1', '3', '50', '150']));
    // It is kept also when another entry is chosen.
    if (random.below(2) === 0) return chooseSound(page, random);
    return field.press('Enter');
  },
  async (page, random) => {
    if (!(await chooseSound(page, random))) return;
    const mute = page.getByLabel('Mute', { exact: true });
    if ((await mute.count()) > 0) await mute.click();
  },
  async (page, random) => {
    if (await chooseSound(page, random))
      await page.keyboard.press(random.pick(['Delete', 's', 'i', 'o', 'Alt+ArrowRight']));
  },
  async (page, random) => {
    const sound = await pick(random, sounds(page));
    if (sound) await drag(page, random, sound, random.pick([0, 0.5, 1]), true);
  },
  async (page, random) => page.getByLabel('Zoom').fill(random.pick(['3', '5.25', '6'])),
];
