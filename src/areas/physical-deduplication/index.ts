export { startApply } from './apply.domain.ts';
