export { composeTitle, type Title, type TitleInput } from './title.ts';
