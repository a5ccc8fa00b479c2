import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { openBrowser } from '../fixtures/browser.ts'
import { gatewayEvent } from '../fixtures/lambda-events.ts'

type Invoke = (event: unknown) => Promise<APIGatewayProxyStructuredResultV2>
type Answer = { status: number | undefined; body: Record<string, string>; location: string; cookies: string[] }

/** Sends requests to the function of the dashboard at `url`, with JSON or a form as its text, and with the cookies of a browser as AWS passes them on. */
export function dashboardBrowser(url: string, invoke: Invoke) {
  async function request(method: string, path: string, cookies: string[], body?: unknown): Promise<Answer> {
    const headers = { origin: url, 'x-viewer-address': '192.0.2.1' }
    const sent = typeof body === 'string' ? { ...headers, 'content-type': 'multipart/form-data; boundary=part' } : headers
    const event = { ...gatewayEvent(method, path, sent, body), ...(typeof body === 'string' && { body }), cookies }
    const { statusCode, body: text = '', ...result } = await invoke(event)
    const isJson = String(result.headers?.['content-type']).startsWith('application/json')
    return {
      status: statusCode,
      body: isJson ? JSON.parse(text) : {},
      location: String(result.headers?.location ?? ''),
      cookies: (result.cookies ?? []).map((cookie) => cookie.split(';', 1)[0] ?? ''),
    }
  }

  return {
    request,
    /** Signs in as one of the people of an issuer of a local run, and returns the cookies. */
    async signIn(person: string): Promise<string[]> {
      const begun = await request('GET', '/auth/sign-in', [])
      const browser = openBrowser()
      const page = await browser.follow('GET', begun.location, url)
      const action = new RegExp(`action="([^"]+/${person})"`).exec((await page.response?.text()) ?? '')?.[1] ?? ''
      const back = await browser.follow('POST', new URL(action, page.url).href, url)
      const { status, location, cookies } = await request('GET', back.url.slice(url.length), begun.cookies)
      if (status !== 302 || location !== '/') throw new Error(`The sign-in ended with ${status}.`)
      return cookies.filter((cookie) => cookie.startsWith('__Host-carrel-session=') && !cookie.endsWith('='))
    },
  }
}
