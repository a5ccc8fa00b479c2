import { describe, expect, test } from 'vitest'
import { packageFiles, statesPackage } from '../../../../shared/reading/api-reference/go/package-files.ts'
import { readPage } from '../../../../shared/reading/read-page.ts'
import { contextOf, pageText } from '../page-text.ts'

const read = async (path: string, files: Record<string, string>) =>
  pageText(await readPage(files[path] ?? '', contextOf(path, files)))

describe('a file of Go', () => {
  /** Excerpt of cobra 1.10 (Apache-2.0), https://github.com/spf13/cobra, shortened. */
  const files = {
    'go.mod': 'module github.com/spf13/cobra\n\ngo 1.15\n',
    'command.go': `// Copyright 2013-2023 The Cobra Authors

// Package cobra is a commander providing a simple interface to create
// powerful modern CLI interfaces.
package cobra

// Group Structure to manage groups for commands
type Group struct {
	ID    string
	Title string
}

// Command is just that, a command for your application.
//
//	cmd := &cobra.Command{Use: "run"}
type Command struct {
	// Use is the one-line usage message.
	Use string
	args []string
}

// SetArgs sets arguments for the command.
//
//nolint:unused
func (c *Command) SetArgs(a []string) {
	c.args = a
}

func (c *Command) getOut(def int) int { return def }

// Gt takes two types and checks whether the first type is greater than the second.
func Gt(a, b interface{}) bool { return false }

// helper is not exported.
func helper() {}
`,
    'main/main.go': '// Package main runs.\npackage main\n\n// Run runs.\nfunc Run() {}\n',
  }

  test('shows exported names of its package with their comments', async () => {
    expect(await read('command.go', files)).toMatchInlineSnapshot(`
      "# github.com/spf13/cobra

      Package cobra is a commander providing a simple interface to create
      powerful modern CLI interfaces.

      ## cobra.Group

      ~~~ go
      type Group struct {
      	ID    string
      	Title string
      }
      ~~~

      Group Structure to manage groups for commands

      ## cobra.Command

      ~~~ go
      type Command struct {
      	// Use is the one-line usage message.
      	Use string
      	args []string
      }
      ~~~

      Command is just that, a command for your application.

      ~~~
      cmd := &cobra.Command{Use: "run"}
      ~~~

      ## cobra.Command > cobra.Command.SetArgs

      ~~~ go
      func (c *Command) SetArgs(a []string)
      ~~~

      SetArgs sets arguments for the command.

      ## cobra.Gt

      ~~~ go
      func Gt(a, b interface{}) bool
      ~~~

      Gt takes two types and checks whether the first type is greater than the second."
    `)
  })

  test('has no page if it belongs to a program', async () => {
    expect(await read('main/main.go', files)).toBe('# github.com/spf13/cobra/main')
  })
})

describe('a package of Go', () => {
  const files = {
    'go.mod': 'module example.org/kit\n',
    'kit.go': 'package kit\n\n// Tent has pegs.\ntype Tent struct{}\n\n// Fold folds a tent.\nfunc Fold() {}\n',
    'doc.go': '// Package kit pitches tents.\npackage kit\n',
    'tent_linux.go': 'package kit\n\n// Pitch pitches a tent.\nfunc (t Tent) Pitch() {}\n',
    'tent_windows.go': 'package kit\n\n// Pitch pitches a tent on Windows.\nfunc (t Tent) Pitch() {}\n',
    'generate.go': '//go:build ignore\n\npackage main\n\n// Run runs.\nfunc Run() {}\n',
    'large.go': `package kit\n\n// Large is large.\nfunc Large() {}\n// ${'x'.repeat(1024 * 1024)}\n`,
  }
  const pageOf = async (files: Record<string, string>) => {
    const goFiles = Object.keys(files).filter((path) => path.endsWith('.go'))
    const packages = await packageFiles(goFiles, async (path) => statesPackage(files[path]?.slice(0, 1024 * 1024)))
    const [first = '', parts] = [...packages][0] ?? []
    return { first, page: await readPage(files[first] ?? '', { ...contextOf(first, files), parts }) }
  }

  test('is one page, with each method at its type and no name twice', async () => {
    const { first, page } = await pageOf(files)
    expect(first).toBe('doc.go')
    expect(page.sections.map(({ headings, file, line }) => [headings.at(-1), file, line])).toEqual([
      [undefined, undefined, 1],
      ['kit.Tent', 'kit.go', 4],
      ['kit.Tent.Pitch', 'tent_linux.go', 4],
      ['kit.Fold', 'kit.go', 7],
    ])
  })

  test('says which of its files are too large', async () => {
    expect((await pageOf(files)).page.omitted).toBe('these files of it are not read: large.go')
  })

  test('has its page at the first file that states a package', async () => {
    const { first, page } = await pageOf({
      'doc.go': 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n',
      'kit.go': files['kit.go'],
    })
    expect([first, page.sections.map(({ headings }) => headings.at(-1))]).toEqual(['kit.go', ['kit.Tent', 'kit.Fold']])
  })

  test('is read up to 2 MB, and says how many files are not', async () => {
    const large = Array.from({ length: 30 }, (_, at) => {
      const name = `tent${String(at).padStart(2, '0')}.go`
      return [name, `package kit\n\n// Pitch pitches.\nfunc Pitch${at}() {}\n// ${'x'.repeat(700_000)}\n`]
    })
    const { page } = await pageOf(Object.fromEntries(large))
    expect(page.sections).toHaveLength(2)
    expect(page.omitted).toMatch(/^these files of it are not read: tent02\.go, .*tent21\.go and 8 more$/)
  })
})

describe('a file of Rust', () => {
  /** Excerpt of bytes 1.10 (MIT), https://github.com/tokio-rs/bytes, shortened. */
  const files = {
    'Cargo.toml': '[package]\nname = "bytes"\n',
    'src/lib.rs':
      '//! Provides abstractions for working with bytes.\n\npub mod buf;\npub use crate::buf::{Buf, BufMut};\nmod own;\n',
    'src/buf/mod.rs': 'mod chain;\npub use self::{chain::Chain as Linked, limit::Limit};\n',
    'src/buf/chain.rs': `use crate::Buf;

/// A \`Chain\` sequences two buffers, see [\`Buf\`].
///
/// # Examples
///
/// \`\`\`
/// # fn main() {
/// let mut buf = (&b"hello "[..]).chain(&b"world"[..]);
/// # }
/// \`\`\`
#[derive(Debug)]
pub struct Chain<T, U> {
    a: T,
    b: U,
}

impl<T, U> Chain<T, U> {
    /// Creates a new \`Chain\`.
    pub(crate) fn new(a: T, b: U) -> Chain<T, U> {
        Chain { a, b }
    }

    /// Consumes this \`Chain\`, returning the underlying values.
    #[inline]
    pub fn into_inner(self) -> (T, U) {
        (self.a, self.b)
    }
}

impl<T, U> Buf for Chain<T, U> {
    /// Not shown.
    fn remaining(&self) -> usize { 0 }
}

/// Only for tests.
#[doc(hidden)]
pub fn hidden() {}
`,
    'src/own.rs': '/// Not exported.\npub fn own() {}\n',
    'src/main.rs': '/// A program.\npub fn main() {}\n',
  }

  test('shows public items under the path that exports them, with hidden rows of examples omitted', async () => {
    expect(await read('src/buf/chain.rs', files)).toMatchInlineSnapshot(`
      "# bytes::buf::chain

      ## bytes::buf::Linked

      ~~~ rust
      pub struct Chain<T, U> {
          a: T,
          b: U,
      }
      ~~~

      A \`Chain\` sequences two buffers, see \`Buf\`.

      **Examples**

      ~~~ rust

      let mut buf = (&b"hello "[..]).chain(&b"world"[..]);

      ~~~

      ## bytes::buf::Linked > bytes::buf::Linked::into_inner

      ~~~ rust
      pub fn into_inner(self) -> (T, U)
      ~~~

      Consumes this \`Chain\`, returning the underlying values."
    `)
  })

  test('has the documentation of the crate, and nothing of private modules and programs', async () => {
    expect(await read('src/lib.rs', files)).toContain('Provides abstractions for working with bytes.')
    expect(await read('src/own.rs', files)).not.toContain('Not exported')
    expect(await read('src/main.rs', files)).not.toContain('A program')
  })
})

describe('a file of Java', () => {
  /** Excerpt of gson 2.13 (Apache-2.0), https://github.com/google/gson, shortened. */
  const text = `/*
 * Copyright (C) 2009 Google Inc.
 */
package com.google.gson;

import java.io.Reader;

/**
 * A parser to parse JSON into a parse tree of {@link JsonElement}s.
 *
 * <p>Here's an example of parsing from a string:
 *
 * <pre>
 * String json = "{\\"key\\": \\"value\\"}";
 * JsonElement element = JsonParser.parseString(json);
 * </pre>
 *
 * @author Inderjeet Singh
 * @since 1.3
 */
public final class JsonParser {
  private int count;

  /**
   * Parses the specified JSON string, {@code List<String>} for example.
   *
   * @param json JSON text
   * @return a parse tree
   * @throws JsonParseException if the specified text is not valid JSON
   */
  public static JsonElement parseString(String json) throws JsonSyntaxException {
    return parseReader(json);
  }

  public void close() {}

  /** Not shown. */
  private void reset() {}

  /** The state of a parser. */
  public enum State { OPEN, CLOSED }
}

/** Not shown. */
class Helper {}
`

  test('shows public types and members with their Javadoc', async () => {
    expect(await read('JsonParser.java', { 'JsonParser.java': text })).toMatchInlineSnapshot(`
      "# com.google.gson

      ## JsonParser

      ~~~ java
      public final class JsonParser
      ~~~

      A parser to parse JSON into a parse tree of \`JsonElement\`s.

      Here's an example of parsing from a string:

      ~~~ java
      String json = "{\\"key\\": \\"value\\"}";
      JsonElement element = JsonParser.parseString(json);
      ~~~

      - **Since**: 1.3

      ~~~ java
      public void close()
      ~~~

      ## JsonParser > JsonParser.parseString

      ~~~ java
      public static JsonElement parseString(String json) throws JsonSyntaxException
      ~~~

      Parses the specified JSON string, \`List<String>\` for example.

      - **json**: JSON text
      - **Returns**: a parse tree
      - **Throws** **JsonParseException**: if the specified text is not valid JSON

      ## JsonParser.State

      ~~~ java
      public enum State {
        OPEN, CLOSED
      }
      ~~~

      The state of a parser."
    `)
  })
})

describe('a package of TypeScript', () => {
  /** Excerpt of zod 4 (MIT), https://github.com/colinhacks/zod, shortened. */
  const files = {
    'package.json': JSON.stringify({
      name: 'zod',
      exports: { '.': { types: './dist/index.d.ts' }, './mini': './dist/mini/index.js', './package.json': './package.json' },
    }),
    'src/index.ts': `export * from './schemas.js'
import { inner as util } from './util.js'
export { util, type Options as ParseOptions } from './util.js'
export * as core from './core.js'
export default z
`,
    'src/mini/index.ts': '/** Small. */\nexport function small(): void {}\n',
    'src/core.ts':
      '/** A value that never occurs. */\nexport const NEVER: never = Object.freeze({ status: "aborted" }) as never\n',
    'src/util.ts': `/** Settings of a parse. */
export interface Options {
  /** Reports the input of issues. */
  reportInput?: boolean
}
/** Not exported by the package. */
export function other(): void {}
/** Used by the package. */
export const util = (text: string): string => text.trim()
`,
    'src/schemas.ts': `/** @internal */
export function hidden(): void {}

/**
 * Creates an exclusive union, see {@link ZodUnion}.
 *
 * @param options - The options.
 * @returns A schema.
 * @example
 * z.xor([z.string(), z.number()])
 *
 * @deprecated Use \`z.union()\` instead.
 */
export function xor<T>(options: T): ZodXor<T>
export function xor(options: unknown) {
  return new ZodXor(options)
}

/** A schema. */
export abstract class ZodXor<T> extends ZodType {
  private secret = 1
  /** Its description. */
  description: string = ''
  /** Parses a value. */
  parse(value: unknown): T {
    return value as T
  }
  optional(): this { return this }
}
function own() {}
`,
  }

  test('shows what its entry exports, also from other files, with TSDoc', async () => {
    expect(await read('src/index.ts', files)).toMatchInlineSnapshot(`
      "# zod

      ## xor

      ~~~ typescript
      function xor<T>(options: T): ZodXor<T>
      function xor(options: unknown)
      ~~~

      Creates an exclusive union, see \`ZodUnion\`.

      - \`options\`: The options.
      - Returns: A schema.

      **Example**

      ~~~ ts
      z.xor([z.string(), z.number()])
      ~~~

      - Deprecated: Use \`z.union()\` instead.

      ## ZodXor

      ~~~ typescript
      abstract class ZodXor<T> extends ZodType
      ~~~

      A schema.

      ~~~ typescript
      optional(): this
      ~~~

      ## ZodXor > ZodXor.description

      ~~~ typescript
      description: string = ''
      ~~~

      Its description.

      ## ZodXor > ZodXor.parse

      ~~~ typescript
      parse(value: unknown): T
      ~~~

      Parses a value.

      ## util

      ~~~ typescript
      const util = (text: string): string =>
      ~~~

      Used by the package.

      ## ParseOptions

      ~~~ typescript
      interface Options {
        /** Reports the input of issues. */
        reportInput?: boolean
      }
      ~~~

      Settings of a parse.

      ## core.NEVER

      ~~~ typescript
      const NEVER: never = Object.freeze({ status: "aborted" }) as never
      ~~~

      A value that never occurs."
    `)
  })

  test('has the exported names of files with JSX', async () => {
    const components = {
      'package.json': '{ "name": "ui", "main": "dist/index.js" }',
      'src/index.tsx':
        "export { default as Card } from './card.js'\n/** A button. */\nexport const Button = ({ on }: Props) => <b>{on}</b>\n",
      'src/card.tsx':
        '/** A card. */\nexport default function Card<T,>({ title }: { title: T }) {\n  return <><h1>{title}</h1></>\n}\n',
    }
    const text = await read('src/index.tsx', components)
    expect(text).toContain('function Card<T,>({ title }: { title: T })\n~~~\n\nA card.')
    expect(text).toContain('const Button = ({ on }: Props) =>')
  })

  test('has the names of a file of up to 1 MB, and says which is larger', async () => {
    const files = {
      'package.json': '{ "name": "kit" }',
      'index.ts': "export * from './tents'\nexport * from './ropes'\n",
      'tents.ts': `/** A tent. */\nexport const tent = 1\n// ${'x'.repeat(400_000)}\n`,
      'ropes.ts': `/** A rope. */\nexport const rope = 1\n// ${'x'.repeat(1024 * 1024)}\n`,
      'ropes.d.ts': '/** Old. */\nexport const old: 1\n',
    }
    const page = await readPage(files['index.ts'], contextOf('index.ts', files))
    expect([page.sections.map(({ headings }) => headings.at(-1)), page.omitted]).toEqual([
      ['tent'],
      'these files of it are not read: ropes.ts',
    ])
  })

  test('has a page for each import path, and none for other files', async () => {
    expect(await read('src/mini/index.ts', files)).toContain('# zod/mini\n\n## small')
    expect(await read('src/util.ts', files)).toBe('# (no title)')
  })

  test('links to the file of each declaration', async () => {
    const { sections } = await readPage(files['src/index.ts'], contextOf('src/index.ts', files))
    expect(sections.map(({ headings, file, line, endLine }) => [headings.at(-1), file, line, endLine]).slice(0, 2)).toEqual([
      ['xor', 'src/schemas.ts', 14, 17],
      ['ZodXor', 'src/schemas.ts', 20, 29],
    ])
  })
})

describe.each(['go', 'rs', 'java', 'ts', 'tsx'])('a file of %s', (extension) => {
  const path = extension === 'rs' ? 'src/lib.rs' : `index.${extension}`
  test.each([
    ['brackets nested 100,000 deep', '('.repeat(100_000)],
    ['blocks nested 20,000 deep', `class A { ${'{ '.repeat(20_000)}`],
    ['comments that never end', '/** a\n * b\n'.repeat(1_000)],
    ['10,000 line comments', '/// a\n// b\n'.repeat(10_000)],
    ['bytes instead of code', '\u0000\u0001 %%% ```'],
  ])('is read without an error if it has %s', async (_, text) => {
    const manifests = { 'package.json': '{"name": "kit"}', 'Cargo.toml': '[package]\nname = "kit"\n' }
    expect(await read(path, { ...manifests, [path]: text })).toContain('# ')
  })
})
