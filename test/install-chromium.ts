import { requireChromium } from './fixtures/chromium.ts'

/** Runs before the tests, since apt-get runs only once at a time. */
export const setup = (): void => void requireChromium()
