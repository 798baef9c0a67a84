export { lockStackMembers, STACK_PRIMARY, STACK_SIZE, STACK_TOP } from './members.store.ts';
