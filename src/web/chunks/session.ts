// Before somebody is logged in.

export { LoginPage, NewPasswordPage, SignUpPage } from '../session/pages.tsx';
