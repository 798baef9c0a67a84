export { findPlaces } from './domain.ts';
export { getStylePath, toClientUrl } from './style.ts';
