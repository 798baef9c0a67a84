export { getStylePath, toClientUrl } from './style.ts';
