/** Block structure of a Markdown text. Offsets and columns are 0-based, lines are 1-based. */
export type Root = { references: Set<string>; children: MarkdownNode[] }

export type MarkdownNode = Paragraph | Container | Heading | Code | Html | Definition | Break

type Placed = { start: number; end: number; line: number; column: number }
export type Paragraph = Placed & { type: 'paragraph' }
export type Container = Placed & { type: 'list' | 'listItem' | 'blockquote'; children: MarkdownNode[] }
export type Heading = Placed & { type: 'heading'; depth: number; text: string }
/** `fenced`: false for an indented block. */
export type Code = Placed & { type: 'code'; value: string; info: string; fenced: boolean }
export type Html = Placed & { type: 'html'; value: string }
export type Definition = Placed & { type: 'definition'; label: string }
export type Break = Placed & { type: 'thematicBreak' }

export const isContainer = (node: MarkdownNode): node is Container => 'children' in node
