/** The address that begins a sign-in. Afterwards the browser opens `next`, a path of this dashboard. `asksAgain`: also if the issuer knows who it is. */
export const signInAddress = (next: string, asksAgain = false): string =>
  `/auth/sign-in?${new URLSearchParams({ next, ...(asksAgain && { prompt: 'login' }) })}`
