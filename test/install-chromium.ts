import { requireChromium } from './fixtures/chromium.ts'

/** Before the tests run at once, since apt-get runs only once at a time. */
export const setup = (): void => void requireChromium()
