// Before somebody is logged in.

export { InvitationPage } from '../session/invitation-page.tsx';
export { LoginPage, NewPasswordPage, SignUpPage } from '../session/pages.tsx';
