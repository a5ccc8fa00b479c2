import { describe, expect, test } from 'vitest'
import { mcpClient } from '../../../shared/usage/mcp-client.ts'
import { clientOf, surfaceOf } from '../../../shared/usage/surface-of.ts'

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

describe('the identifier of a client', () => {
  test.each([
    ['Cursor', 'cursor'],
    ['cursor-vscode', 'cursor'],
    ['cursor-vscode (via mcp-remote 0.1.37)', 'cursor'],
    ['claude-code', 'claude-code'],
    ['Claude Code', 'claude-code'],
    ['claude-ai', 'claude-ai'],
    ['Anthropic/ClaudeAI', 'claude-ai'],
    ['Claude Desktop', 'claude-desktop'],
    ['codex-mcp-client', 'codex'],
    ['Visual Studio Code', 'vscode'],
    ['Visual-Studio-Code', 'vscode'],
    ['Visual Studio Code - Insiders', 'vscode'],
    ['Code - OSS', 'vscode'],
    ['windsurf-client', 'windsurf'],
    ['Zed', 'zed'],
    ['Cline', 'cline'],
    ['@cline-core', 'cline'],
    ['Roo-Code', 'roo-code'],
    ['roo-cline', 'roo-code'],
    ['continue-client', 'continue'],
    ['JetBrains-IU-copilot-intellij', 'jetbrains'],
    ['gemini-cli-mcp-client', 'gemini-cli'],
    ['gemini-cli-mcp-client-docs', 'gemini-cli'],
    ['opencode', 'opencode'],
    ['goose', 'goose'],
    ['github-copilot-developer', 'copilot'],
    ['@n8n/n8n-nodes-langchain.mcpClientTool', 'n8n'],
    ['com.raycast.macos', 'raycast'],
    ['other', 'other'],
    ['unknown', 'unknown'],
    ['my-own-agent', 'other'],
    ['constructor', 'other'],
    ['__proto__', 'other'],
    ['クライアント', 'other'],
    ['cursor'.repeat(2000), 'other'],
    ['', 'unknown'],
    ['   ', 'unknown'],
  ])('is $1 for the name "$0"', (name, identifier) => {
    expect(mcpClient(name)).toBe(identifier)
  })
})

test('the identifier is not made from a name of more than 100 characters, whatever its beginning', () => {
  const name = `cursor (via ${'x'.repeat(10_000)})`
  expect([mcpClient(name), mcpClient(name.slice(0, 100))]).toEqual(['other', 'cursor'])
})

test('the identifier comes from the protocol before the headers, and from our headers before the User-Agent', () => {
  const headers = new Headers({ 'user-agent': 'Zed/0.200', 'x-context7-client-ide': 'Windsurf', 'x-carrel-client-ide': 'Cursor' })
  expect(clientOf({ headers, entry: 'mcp', clientName: 'claude-code' })).toBe('claude-code')
  expect(clientOf({ headers, entry: 'mcp' })).toBe('cursor')
  headers.delete('x-carrel-client-ide')
  expect(clientOf({ headers, entry: 'mcp' })).toBe('windsurf')
  headers.delete('x-context7-client-ide')
  expect(clientOf({ headers, entry: 'mcp', clientName: '' })).toBe('zed')
})

test('the identifier comes from the User-Agent only at /mcp', () => {
  const headers = new Headers({ 'user-agent': 'codex-mcp-client/0.157.0 (linux)' })
  expect(clientOf({ headers, entry: 'mcp' })).toBe('codex')
  expect(clientOf({ headers, entry: 'http' })).toBe('unknown')
})

test('the identifier is unknown if the client sends no name', () => {
  expect(clientOf({ headers: new Headers(), entry: 'mcp' })).toBe('unknown')
  expect(clientOf({ headers: new Headers({ 'user-agent': '/1.0' }), entry: 'mcp' })).toBe('unknown')
})
