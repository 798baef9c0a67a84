import type { Messages } from '@lingui/core';

/** English messages are their own ids. The bundle of the page has those compiled here that are no plain texts. */
const messages: Messages = {};
export default messages;
