import { expect, test } from 'vitest'
import { clients } from '../../shared/web/connect/clients.ts'

test.each([
  [
    'cursor',
    'cursor://anysphere.cursor-deeplink/mcp/install?name=carrel&config=eyJ1cmwiOiJodHRwczovL2NhcnJlbC5leGFtcGxlLmNvbS9tY3AifQ%3D%3D',
  ],
  [
    'vscode',
    'vscode:mcp/install?%7B%22name%22%3A%22carrel%22%2C%22type%22%3A%22http%22%2C%22url%22%3A%22https%3A%2F%2Fcarrel.example.com%2Fmcp%22%7D',
  ],
] as const)('the page Connect adds Carrel to %s by a link in the form that the client reads', (client, link) => {
  expect(clients[client].link?.('https://carrel.example.com/mcp')).toBe(link)
})
