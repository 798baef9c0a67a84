export {
  lockStackMembers,
  selectStackGroups,
  STACK_PRIMARY,
  STACK_SIZE,
  STACK_TOP,
} from './members.store.ts';
