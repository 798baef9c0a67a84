export { STACK_SIZE } from '../../stack-members/index.ts';
