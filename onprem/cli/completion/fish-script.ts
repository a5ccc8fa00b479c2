import type { Candidate, CompletionTable } from './completion-table.ts'

export const fishScript = ({
  nodes,
  values,
}: CompletionTable): string => `# The candidates at the cursor, as lines of word, tab and description
function __carrel_candidates
  set -l words (commandline --current-process --tokenize --cut-at-cursor)
  set -l current (commandline --current-token)
  set -l at carrel
  set -l option ''
  for word in $words[2..]
    if test -n "$option"
      set option ''
      continue
    end
    switch "$at $word"
      case ${nodes
        .slice(1)
        .map(({ at }) => quote(at))
        .join(' ')}
        set at "$at $word"
      case ${values.map(({ at }) => quote(at)).join(' ')}
        set option $word
    end
  end
  if test -n "$option"
    switch "$at $option"
${branches(values.map(({ at, choices }) => ({ at, words: choices.map((word) => ({ word, description: '' })) })))}
    end
    return
  end
  switch "$current"
    case '-*'
      switch "$at"
${branches(nodes.map(({ at, options }) => ({ at, words: options })))}
      end
    case '*'
      switch "$at"
${branches(nodes.map(({ at, names }) => ({ at, words: names })))}
      end
  end
end
complete --command carrel --no-files --arguments '(__carrel_candidates)'
complete --command carrel --condition 'test -z "$(__carrel_candidates)"' --force-files
`

const branches = (lists: { at: string; words: Candidate[] }[]): string =>
  lists
    .filter(({ words }) => words.length > 0)
    .map(({ at, words }) => `        case ${quote(at)}\n          printf '%s\\t%s\\n' ${words.map(print).join(' ')}`)
    .join('\n')

const print = ({ word, description }: Candidate): string => `${quote(word)} ${quote(description)}`

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
