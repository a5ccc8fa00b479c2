import type { Candidate, CompletionTable } from './completion-table.ts'

/**
 * The script for bash and zsh: a function that prints candidates as lines of word, tab and description, and its call by the
 * shell.
 */
export const posixScript = (table: CompletionTable, shell: 'bash' | 'zsh'): string =>
  `${shell === 'zsh' ? '#compdef carrel\n' : ''}${candidates(table)}\n${callers[shell]}`

function candidates({ nodes, values }: CompletionTable): string {
  const paths = nodes.slice(1).map(({ at }) => quote(at))
  const branches = (lists: { at: string; words: Candidate[] }[]) =>
    lists
      .filter(({ words }) => words.length > 0)
      .map(({ at, words }) => `        ${quote(at)}) printf '%s\\t%s\\n' ${words.map(print).join(' ')} ;;`)
      .join('\n')
  return `# The candidates for the word $1 after the words $2…
_carrel_candidates() {
  local current="$1" at='carrel' option='' word
  shift
  for word in "$@"; do
    if [ -n "$option" ]; then
      option=''
      continue
    fi
    case "$at $word" in
      ${paths.join('|')}) at="$at $word" ;;
      ${values.map(({ at }) => quote(at)).join('|')}) option="$word" ;;
    esac
  done
  if [ -n "$option" ]; then
    case "$at $option" in
${branches(values.map(({ at, choices }) => ({ at, words: choices.map((word) => ({ word, description: '' })) })))}
    esac
    return
  fi
  case "$current" in
    -*)
      case "$at" in
${branches(nodes.map(({ at, options }) => ({ at, words: options })))}
      esac
      ;;
    *)
      case "$at" in
${branches(nodes.map(({ at, names }) => ({ at, words: names })))}
      esac
      ;;
  esac
}
`
}

/** If there are no candidates, files are completed. */
const callers = {
  bash: `_carrel() {
  local IFS=$'\\n' current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=($(compgen -W "$(_carrel_candidates "$current" "\${COMP_WORDS[@]:1:COMP_CWORD-1}" | cut -f 1)" -- "$current"))
}
complete -o default -F _carrel carrel
`,
  zsh: `_carrel() {
  local -a lines
  lines=("\${(@f)$(_carrel_candidates "\${words[CURRENT]}" "\${(@)words[2,CURRENT-1]}")}")
  lines=("\${(@)lines/$'\\t'/:}")
  lines=("\${(@)lines%:}")
  lines=("\${(@)lines:#}")
  if (( \${#lines} )); then _describe carrel lines; else _files; fi
}
if [ "\${funcstack[1]}" = _carrel ]; then _carrel "$@"; else compdef _carrel carrel; fi
`,
}

const print = ({ word, description }: Candidate): string => `${quote(word)} ${quote(description)}`

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
