import type { CodeEntry } from '../../snippet.ts'

/** The names that code blocks use. Shells, data, markup and queries are left out: documentation of every library has them. */
const aliases: Record<string, string> = {
  C: 'c',
  'C#': 'cs csharp c# dotnet',
  'C++': 'cpp c++ cxx cc hpp',
  Clojure: 'clojure clj cljs',
  Dart: 'dart',
  Elixir: 'elixir ex exs iex heex',
  Elm: 'elm',
  Erlang: 'erlang erl',
  'F#': 'fsharp fs f#',
  Fortran: 'fortran',
  Go: 'go golang',
  Groovy: 'groovy',
  Haskell: 'haskell hs',
  HCL: 'hcl terraform tf',
  Java: 'java',
  JavaScript: 'javascript js jsx mjs cjs node',
  Julia: 'julia jl',
  Kotlin: 'kotlin kt kts',
  Lua: 'lua',
  Nix: 'nix',
  'Objective-C': 'objc objective-c objectivec',
  OCaml: 'ocaml ml',
  Perl: 'perl pl',
  PHP: 'php',
  Python: 'python py python3 pycon ipython ipython3 py3',
  R: 'r rlang',
  Ruby: 'ruby rb erb',
  Rust: 'rust rs',
  Scala: 'scala',
  Solidity: 'solidity sol',
  Svelte: 'svelte',
  Swift: 'swift',
  TypeScript: 'typescript ts tsx mts cts',
  'Visual Basic': 'vb vbnet visualbasic',
  Vue: 'vue',
  Zig: 'zig',
}
const nameOf = new Map(Object.entries(aliases).flatMap(([name, words]) => words.split(' ').map((word) => [word, name] as const)))

/** Characters of code per programming language. */
export type CodeChars = ReadonlyMap<string, number>

export function codeChars(code: readonly CodeEntry[]): CodeChars {
  const chars = new Map<string, number>()
  for (const { language, code: text } of code) {
    const name = nameOf.get(language.toLowerCase())
    if (name !== undefined) chars.set(name, (chars.get(name) ?? 0) + text.length)
  }
  return chars
}

export type CodeLanguages = {
  add(chars: CodeChars): void
  /** The language of most code; undefined if there is none in a known language. */
  main(): string | undefined
}

export function codeLanguages(): CodeLanguages {
  const total = new Map<string, number>()
  return {
    add(chars) {
      for (const [language, count] of chars) total.set(language, (total.get(language) ?? 0) + count)
    },
    main: () => [...total].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0]?.[0],
  }
}
