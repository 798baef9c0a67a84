export { type Form, readForm } from './multipart.ts';
