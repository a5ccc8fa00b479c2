import { expect, test } from 'vitest'
import { surfaceOf } from '../../../shared/usage/surface-of.ts'

test.each([
  ['our own pages', { 'x-carrel-source': 'web' }, 'page'],
  ['an MCP server that calls the API', { 'x-context7-source': 'mcp-server' }, 'mcp'],
  ['an MCP server that names us', { 'x-carrel-source': 'mcp-server' }, 'mcp'],
  ['the command line', { 'x-context7-source': 'cli', 'x-context7-transport': 'cli' }, 'cli'],
  ['the command line by our name', { 'X-Carrel-Source': ' CLI ' }, 'cli'],
  ['a program without headers', {}, 'txt'],
  ['a source that nobody knows', { 'x-carrel-source': 'x'.repeat(10_000) }, 'txt'],
  ['a source that is a word of JavaScript', { 'x-carrel-source': '__proto__' }, 'txt'],
])('the surface is derived from the headers of %s', (_, headers, surface) => {
  expect(surfaceOf(new Headers(headers as Record<string, string>), 'http')).toBe(surface)
})

test('every request at /mcp has the surface mcp', () => {
  expect(surfaceOf(new Headers(), 'mcp')).toBe('mcp')
  expect(surfaceOf(new Headers({ 'x-carrel-source': 'web' }), 'mcp')).toBe('mcp')
})
