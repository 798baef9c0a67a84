export { stylePath, urlFor } from './style.ts';
