import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import type { Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import {
  addUser,
  type Api,
  choose,
  getDialog,
  go,
  pictures,
  press,
  toast,
  undo,
  viewerOpened,
} from './people.ts';
import { holdRequest } from './routes.ts';
import { daysOfMay, enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { journey } from '../support/journey.ts';

// Sharing with members of an album, with partners and in a group for people, in a real browser.

let stage: Stage;
let ada: Visitor;
let page: Page;
let api: Api;
let ids: string[];
type Member = Awaited<ReturnType<typeof addUser>>;

beforeEach(async () => {
  stage = await openStage();
  ({ api } = stage);
  ids = await stage.add(daysOfMay(2));
}, TIMEOUT_MS);

afterEach(async () => {
  await stage?.close();
  expect(ada.problems).toEqual([]);
}, TIMEOUT_MS);

const { step, chapter } = journey('an owner shares with users of this server', TIMEOUT_MS);

chapter('comments', () => {
  let album: { id: string };
  let member: Member;
  beforeEach(async () => {
    member = await addUser(api, 'Bob');
    album = await api('POST', '/albums', {
      albumName: 'Spring',
      assetIds: ids,
      albumUsers: [{ userId: member.id, role: 'editor' }],
    });
    ada = await enter(stage, { at: `/albums/${album.id}` });
    ({ page } = ada);
    await pictures(page, 2);
  }, TIMEOUT_MS);

  step('members of an album can comment on it', async () => {
    await press(page, 'Comments: 0');
    await eventually(() => page.evaluate(() => document.activeElement?.ariaLabel)).toBe(
      'Write a comment',
    );
    await getDialog(page).getByLabel('Write a comment').fill('What a light!');
    await press(page, 'Send');
    await getDialog(page).getByText('What a light!').waitFor();
    await press(page, 'Like');
    await getDialog(page).getByRole('button', { name: 'Unlike' }).waitFor();
    await getDialog(page).getByText('Liked by Admin').waitFor();
    expect(await listFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');

    const bob = await enter(stage, { as: member, at: `/albums/${album.id}` });
    await pictures(bob.page, 2);
    await press(bob.page, 'Comments: 1');
    await bob.page.getByText('What a light!').waitFor();
    // Not his to delete.
    await eventually(() =>
      bob.page.getByRole('button', { name: /Delete the comment/ }).count(),
    ).toBe(0);
    await bob.page.getByLabel('Write a comment').fill('And the dog');
    await press(bob.page, 'Send');
    await bob.page.getByRole('button', { name: /Delete the comment “And the dog”/ }).waitFor();
    await bob.page.keyboard.press('Escape');
    await bob.page.getByRole('button', { name: 'Spring', exact: true }).waitFor();
    // A viewer changes nothing.
    await api('PUT', `/albums/${album.id}/user/${member.id}`, { role: 'viewer' });
    await bob.page.reload();
    await pictures(bob.page, 2);
    await bob.page.getByRole('heading', { name: 'Spring', level: 2 }).waitFor();
    for (const name of ['Spring', 'Add a description', 'Choose cover', 'Add photos'])
      expect(await bob.page.getByRole('button', { name }).count()).toBe(0);
    expect(bob.problems).toEqual([]);
    await bob.context.close();
  });

  step('a photo in an album has its own comments, also while one is sent, and tags', async () => {
    await page.goto(`/albums/${album.id}/photos/${ids[0]}`);
    await page.locator('.yarl__slide_current img.yarl__slide_image').waitFor();
    await press(page, 'Comments');
    const field = page.getByLabel('Write a comment');
    await field.fill('This one!');
    const sending = await holdRequest(page, 'POST', '/api/activities');
    await press(page, 'Send');
    await sending.isHeld;
    await field.fill('And what is typed meanwhile');
    sending.release();
    await page.getByText('This one!').waitFor();
    await eventually(() => field.inputValue()).toBe('And what is typed meanwhile');
    await eventually(() => page.getByText('What a light!').count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.keyboard.press('i');
    await press(page, 'Add a tag');
    await page.getByLabel('Find a tag, or name a new one').fill('Sea');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove Sea' }).waitFor();
    await page.keyboard.press('Escape');
  });
});

chapter('members of an album', () => {
  let album: { id: string };
  let bob: Member;
  beforeEach(async () => {
    bob = await addUser(api, 'Bob');
    album = await api('POST', '/albums', { albumName: 'Spring', assetIds: ids });
    ada = await enter(stage, { at: `/albums/${album.id}` });
    ({ page } = ada);
    await press(page, 'Share album');
  }, TIMEOUT_MS);

  const getRoles = async (): Promise<string[]> =>
    (await api('GET', `/albums/${album.id}`)).albumUsers
      .filter(({ user }: { user: { id: string } }) => user.id === bob.id)
      .map(({ role }: { role: string }) => role);
  const roleSelect = () => getDialog(page).getByLabel(`Role of ${bob.name}`);

  step('somebody is added in the role that is chosen, and taken back by Undo', async () => {
    await eventually(() => roleSelect().inputValue()).toBe('viewer');
    await press(page, `Add ${bob.name}`);
    await toast(page, `${bob.name} can view the album`);
    await eventually(getRoles).toEqual(['viewer']);
    expect(await listFaults(page)).toEqual([]);
    await undo(page, `${bob.name} can view the album`);
    await eventually(getRoles).toEqual([]);
    await getDialog(page)
      .getByRole('button', { name: `Add ${bob.name}` })
      .waitFor();
    await roleSelect().selectOption('editor');
    await press(page, `Add ${bob.name}`);
    await eventually(getRoles).toEqual(['editor']);
  });

  step('another role and a removal can be undone too', async () => {
    await getDialog(page)
      .getByRole('button', { name: `Remove ${bob.name}` })
      .waitFor();
    await roleSelect().selectOption('viewer');
    await eventually(getRoles).toEqual(['viewer']);
    await undo(page, `${bob.name} can view the album`);
    await eventually(getRoles).toEqual(['editor']);
    await eventually(() => roleSelect().inputValue()).toBe('editor');
    await press(page, `Remove ${bob.name}`);
    await eventually(getRoles).toEqual([]);
    await undo(page, `${bob.name} removed`);
    await eventually(getRoles).toEqual(['editor']);
    // Outside of a dialog, what is told stays reachable.
    await press(page, `Remove ${bob.name}`);
    await page.keyboard.press('Escape');
    await undo(page, `${bob.name} removed`);
    await eventually(getRoles).toEqual(['editor']);
  });
});

/** Counts the photos that are marked as those of the administrator. */
const countMarks = (on: Page) =>
  on.locator('[data-part=tile] [data-part=badge-partner][title=Admin]').count();

chapter('a partner', () => {
  let partner: Member;
  let bob: Visitor;
  beforeEach(async () => {
    partner = await addUser(api, 'Bob');
    ada = await enter(stage, { at: '/settings' });
    ({ page } = ada);
  }, TIMEOUT_MS);

  step(
    'a partner sees a shared timeline and can show it on the own one, without changing photos',
    async () => {
      const chooseBob = () => page.getByLabel('Share my timeline with').selectOption(partner.name);
      const countViewers = async () =>
        (await stage.api('GET', '/partners?direction=shared-by')).length;
      await chooseBob();
      await getDialog(page).getByLabel('Hide where the photos were taken').check();
      expect(await listFaults(page)).toEqual([]);
      await press(page, 'Cancel');
      expect(await countViewers()).toBe(0);
      await chooseBob();
      await getDialog(page).getByRole('button', { name: 'Share', exact: true }).click();
      await page.getByText('sees your timeline', { exact: true }).waitFor();
      await press(page, 'Undo');
      await eventually(countViewers).toBe(0);
      await chooseBob();
      await getDialog(page).getByRole('button', { name: 'Share', exact: true }).click();
      await page.getByText('sees your timeline', { exact: true }).waitFor();
      bob = await enter(stage, { as: partner });
      await bob.page.getByText('No photos yet').waitFor();
      await go(bob.page, 'Settings');
      await bob.page.getByLabel('Show photos of Admin on my timeline').check();
      await go(bob.page, 'Photos');
      await pictures(bob.page, 2);
      await eventually(() => countMarks(bob.page)).toBe(2);
      await eventually(() => bob.page.getByRole('link', { name: /, from Admin$/ }).count()).toBe(2);
      await bob.page
        .getByRole('button', { name: /otification/ })
        .first()
        .click();
      await getDialog(bob.page).getByRole('link', { name: 'Admin shares photos with you' }).click();
      await bob.page.getByRole('heading', { name: 'Admin', exact: true }).waitFor();
      await pictures(bob.page, 2);
      expect(await listFaults(bob.page)).toEqual([]);
      await go(bob.page, 'Sharing');
      await bob.page.getByRole('link', { name: 'Admin shares with you' }).waitFor();
      await go(bob.page, 'Photos');
      await pictures(bob.page, 2);
      // Nothing can be changed about the pictures of others.
      await choose(bob.page, '1 May 2024');
      await bob.page.getByText('1 item selected').waitFor();
      await eventually(() =>
        bob.page.getByRole('button', { name: /trash|archive|Lock/ }).count(),
      ).toBe(0);
      expect(bob.problems).toEqual([]);
    },
  );

  step('a partner saves a photo to the own library, once, and can take it back', async () => {
    await press(bob.page, 'Save to my library');
    await toast(bob.page, '1 item saved to your library');
    await pictures(bob.page, 3);
    await eventually(() => countMarks(bob.page)).toBe(2);
    await bob.page.goto(`/photos/${ids[0]}`);
    await viewerOpened(bob.page);
    await press(bob.page, 'More actions');
    await bob.page.getByRole('menuitem', { name: 'Save to my library' }).click();
    await toast(bob.page, '1 item already in your library');
    await bob.page.goto(`/photos/${ids[1]}`);
    await viewerOpened(bob.page);
    await press(bob.page, 'More actions');
    await bob.page.getByRole('menuitem', { name: 'Save to my library' }).click();
    await toast(bob.page, '1 item saved to your library');
    await undo(bob.page, '1 item saved to your library');
    await toast(bob.page, '1 item moved to the trash');
    await bob.page.goto('/photos');
    await pictures(bob.page, 3);
    expect(await listFaults(bob.page)).toEqual([]);
    expect(bob.problems).toEqual([]);
  });

  step('a partner sees photos from a day on, if that is chosen', async () => {
    const seenByBob = async () => {
      const statuses: number[] = [];
      for (const id of ids) {
        statuses.push((await bob.page.request.get(`/api/assets/${id}`)).status());
      }
      return statuses;
    };
    await page.getByRole('button', { name: `Choose which photos ${partner.name} sees` }).click();
    const dialog = getDialog(page);
    await dialog.getByLabel('Only photos from a certain day on').check();
    const save = dialog.getByRole('button', { name: 'Save' });
    await eventually(() => save.isDisabled()).toBe(true);
    await dialog.getByLabel('First day').fill('2024-05-02');
    expect(await listFaults(page)).toEqual([]);
    await save.click();
    await toast(page, `${partner.name} sees photos since`);
    await page.getByRole('button', { name: /^since .*2024/ }).waitFor();
    await eventually(seenByBob).toEqual([400, 200]);
    await undo(page, `${partner.name} sees photos since`);
    await page.getByRole('button', { name: /^all photos/ }).waitFor();
    await eventually(seenByBob).toEqual([200, 200]);
    expect(await listFaults(page)).toEqual([]);
  });

  step('places can be hidden from a partner', async () => {
    const shownToBob = async () => {
      const response = await bob.page.request.get(`/api/assets/${ids[0]}`);
      expect(response.status()).toBe(200);
      return (await response.json()).exifInfo;
    };
    await api('PUT', `/assets/${ids[0]}`, { latitude: 48.2, longitude: 16.4 });
    await eventually(shownToBob).toMatchObject({ latitude: 48.2 });
    await page.getByLabel(`Hide places from ${partner.name}`).check();
    await page.getByText(`Places are hidden from ${partner.name}`).waitFor();
    await page.getByText('cannot learn where your photos were taken').waitFor();
    await eventually(async () => (await shownToBob()).latitude).toBeNull();
    await page.reload();
    await eventually(() => page.getByLabel(`Hide places from ${partner.name}`).isChecked()).toBe(
      true,
    );
    const show = async (act: string) => {
      await page.getByLabel(`Hide places from ${partner.name}`).click();
      await getDialog(page).getByText(`${partner.name} will see where`).waitFor();
      expect(await listFaults(page)).toEqual([]);
      await getDialog(page).getByRole('button', { name: act }).click();
    };
    await show('Cancel');
    expect((await shownToBob()).latitude).toBeNull();
    await show('Show places');
    await eventually(shownToBob).toMatchObject({ latitude: 48.2 });
    await undo(page, `${partner.name} sees places`);
    await eventually(async () => (await shownToBob()).latitude).toBeNull();
    await show('Show places');
    await toast(page, `${partner.name} sees places`);
    await eventually(shownToBob).toMatchObject({ latitude: 48.2 });
    expect(await listFaults(page)).toEqual([]);
    await bob.context.close();
    await press(page, `Stop sharing with ${partner.name}`);
    await page.getByText(`Not shared with ${partner.name}`).waitFor();
  });
});

chapter('a group for people', () => {
  let member: Member;
  beforeEach(async () => {
    member = await addUser(api, 'Bob');
    ada = await enter(stage, { at: '/settings' });
    ({ page } = ada);
  }, TIMEOUT_MS);

  step('an account is invited, declines, accepts and leaves', async () => {
    const bob = await enter(stage, { as: member, at: '/settings' });
    const invite = () => page.getByLabel('Invite to my group').selectOption(member.name);
    const getInvitation = (act: string) =>
      bob.page.getByRole('button', { name: `${act} the invitation from Admin` });
    await invite();
    // It is not there before the server has told it.
    await getInvitation('Decline').waitFor();
    expect(await listFaults(bob.page)).toEqual([]);
    await getInvitation('Decline').click();
    await eventually(() => getInvitation('Accept').count()).toBe(0);
    await page.reload();
    await page.getByLabel('Invite to my group').waitFor();
    await invite();
    await page.getByRole('button', { name: 'Withdraw the invitation to Bob' }).waitFor();
    await getInvitation('Accept').click();
    await bob.page.getByText('You are in the group of Admin').waitFor();
    await bob.page.getByText('is in your group', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('is in your group', { exact: true }).waitFor();
    expect(await listFaults(page)).toEqual([]);
    await press(bob.page, 'Leave the group');
    await bob.page.getByText('You have left the group').waitFor();
    await eventually(() => bob.page.getByText('is in your group', { exact: true }).count()).toBe(0);
    expect(bob.problems).toEqual([]);
    await bob.context.close();
  });
});
